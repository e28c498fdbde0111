# `make -f build.mk VERSION=fixed` takes the files of that folder in place of those of the original.
FC = mpif90
FFLAGS = -O2 -g -fopenmp
VERSION = original
BUILD = build
FILES = settings lattice physics exchange output main
SOURCES = $(foreach file,$(FILES),$(firstword $(wildcard $(VERSION)/$(file).f90) original/$(file).f90))

$(BUILD)/lbm: $(SOURCES) build.mk
	mkdir -p $(BUILD)
	for source in $(SOURCES); do $(FC) $(FFLAGS) -J$(BUILD) -c $$source -o $(BUILD)/$$(basename $$source .f90).o || exit 1; done
	$(FC) $(FFLAGS) -o $@ $(FILES:%=$(BUILD)/%.o)
