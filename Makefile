# One command each; scripts/ holds what they do. Each installs what it lacks first.
.PHONY: help build demo test lint mutate bench bless docs gallery clean
.DEFAULT_GOAL := help

help:
	@echo 'make build   builds into build/; the command is build/bin/stridewise'
	@echo 'make demo    analyses a Lattice-Boltzmann program from its source and from its run, prints one report'
	@echo 'make test    runs all tests; FILTER=mem-struct-padding: the samples of that rule'
	@echo 'make lint    checks format, types and style'
	@echo 'make mutate puts faults into the code and names those that no test notices; ARGS=analyzer/checks/mem-struct-padding'
	@echo 'make bench   measures analysis time, what each way of watching costs, and merge scale'
	@echo 'make bless   records the expected outputs of the snapshot tests again'
	@echo 'make docs    builds the documentation site in build/docs'
	@echo 'make gallery takes the pictures of docs/gallery.md anew, of what make demo left'
	@echo 'make clean   removes build/'

build:
	@scripts/build.sh

demo:
	@scripts/build.sh demo
	@scripts/demo.sh

test:
	@scripts/test.sh $(if $(FILTER),--filter '$(FILTER)')

lint: build
	@scripts/lint.sh

mutate: build
	@build/venv/bin/python tests/mutation/mutate.py $(ARGS)

bench: build
	@build/venv/bin/python benchmarks/run.py $(ARGS)

bless: build
	@STRIDEWISE_BLESS=1 PYTHONPATH=.:tests build/venv/bin/python -m pytest -q tests/snapshots $(ARGS)

docs: build
	@build/venv/bin/python scripts/make_docs.py build/docs

gallery: build
	@build/venv/bin/python scripts/make_gallery.py $(ARGS)

clean:
	@rm -rf build
