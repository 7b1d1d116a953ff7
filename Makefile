# Needs Python 3.10 or newer with venv, and make; everything else is installed into .venv.
# In a shell where a ROS 2 is sourced, that ROS is used instead of the rclpy wheels.

PYTHON ?= python3
ARGS ?=

venv = @command -v $(PYTHON) >/dev/null || { echo \
	"$(PYTHON): not found; choose another Python: make PYTHON=python3.12 $@" >&2; exit 1; }; \
	venv=$$($(PYTHON) tools/environment.py $(1)) &&

.PHONY: help sim test test-all lint clean

help:
	@echo "make sim       run the simulator and the controller: twolink run"
	@echo "make test      run the test suite, but for what takes minutes"
	@echo "make test-all  run that, too"
	@echo "make lint      check the style as ament's linters would, and types"
	@echo "make clean     remove what make, pip and colcon left here"
	@echo
	@echo "ARGS='...' adds arguments to twolink run, pytest or flake8; PYTHON=python3.12 chooses"
	@echo "the Python."

sim:
	$(call venv,sim) exec "$$venv/bin/twolink" run $(ARGS)

test:
	$(call venv,test) exec "$$venv/bin/python" -m pytest $(ARGS)

test-all:
	$(call venv,test) exec "$$venv/bin/python" -m pytest -m 'slow or not slow' $(ARGS)

lint:
	$(call venv,test) "$$venv/bin/python" -m flake8 $(ARGS) && exec "$$venv/bin/python" -m mypy

clean:
	rm -rf .venv .venv-* .venv.lock build install log dist *.egg-info .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
