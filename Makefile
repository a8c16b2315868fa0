# Thin names for what tools/ does. Needs python3 and make; everything else is brought by tools/bootstrap.py.
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo test check fmt docs mutate-states bench-states bench-long bench-batch bench-observe bench-settle bench-pictures bench-desktop bench-tokens bench-prompt bench-models bench-grounding bench-mcp bench-guard bench-act bench-share bench-wheel bench-routes bench-ocr bench-conformance bench-demo bench-peers bench-testing bench-ray bench-view eval-miniwob site eval-office golden golden-observations soak sweep-resume trials test-fresh lock clean

PYTHON ?= python3
SUITE ?= bookworm
N ?= 20
ARGS ?=

BIN := .venv/bin
bootstrap = @$(PYTHON) tools/bootstrap.py
bench = PYTHONPATH=src:.:tests $(BIN)/python -m tools.bench_
# Where no folder is named, the demo may replace what an earlier one left in its own.
out = $(if $(filter --out --out=%,$(ARGS)),,--out deskhand-demo --force)

help:
	@echo "make demo [ARGS=…]     install what is missing and run the demo"
	@echo "make test [ARGS=…]     install what is missing and run the whole test suite; ARGS=--fast: the units alone"
	@echo "make check             format, lint, types, import contracts, words, requirements, and the written pages of docs/"
	@echo "make fmt               format and fix what can be fixed"
	@echo "make docs              write states.md, toolkits.md, tools.md, settings.md and effects.md of docs/ from what they tell of"
	@echo "make site              build the web site of docs/ with an API reference into site/"
	@echo "make mutate-states     delete each row of the transition table, see exactly its test fail"
	@echo "make golden            draw the pictures anew that tests compare with; look at them before you commit"
	@echo "make golden-observations ARGS='save DIR' or 'compare DIR DIR'   what is read and found in some 70 real windows"
	@echo "make eval-office       the solutions of the 20 shipped office tasks in real applications, judged by their checks; ARGS=…"
	@echo "make soak [N=20]       run the demo N times and look for what it leaves behind"
	@echo "make sweep-resume      kill sessions on real applications DESKHAND_TRIALS (24) times, resume them, count; ARGS=SEED"
	@echo "make trials            the test suite with the long trials"
	@echo "make bench-states      what a transition and whole sessions cost on the in-memory desktop"
	@echo "make bench-long        whether a session becomes slower or larger with its length"
	@echo "make bench-batch       what the coordinator of a batch costs for each task, with 1 000 and 10 000 queued"
	@echo "make bench-observe     what an observation of each toolkit's window takes, beside python3-pyatspi, and its floor"
	@echo "make bench-settle      how long an action takes until its effect is seen in LibreOffice's menus"
	@echo "make bench-pictures    grab, labels and PNG, beside plain Pillow"
	@echo "make bench-tokens      what a window takes in a prompt, beside two other ways of telling it"
	@echo "make bench-prompt      what our side costs for one call of a model, part by part"
	@echo "make bench-models      a whole call over the loopback, and what reading replies takes"
	@echo "make bench-grounding   merging controls with what a vision server sees"
	@echo "make bench-ocr         texts read from pictures: words, places and seconds in four toolkits, light and dark"
	@echo "make bench-act         how soon an action's effect is seen and confirmed, beside python3-pyatspi"
	@echo "make bench-share       the share of ordinary actions that worked and were confirmed; ARGS='--before DIR': beside another checkout"
	@echo "make bench-wheel       twelve tasks by a good and by a careless model that read nothing but prompts"
	@echo "make bench-conformance pointer and keyboard by the 100 cases of a public suite (cua-auto-harness)"
	@echo "make bench-routes      LibreOffice by its windows alone, and by its own interface, in turns: its tools, the demo's task"
	@echo "make bench-demo        where each step of the demo spends its time; ARGS=COMMIT: beside the demo of a commit, ARGS=--replay: beside replays of it, in turns"
	@echo "make bench-peers       commands, MCP calls and actions beside Cua Driver, dogtail and an earlier commit, in turns; ratios and goals"
	@echo "make bench-testing     thirty tests of three programs, and the same for dogtail, in turns: seconds and failed runs; ARGS='--runs 50 --busy 2 --ours-only'"
	@echo "make eval-miniwob      pages of MiniWoB++ solved by a script in Chromium; ARGS='--only click-button,enter-text --seeds 1 --moves'"
	@echo "make bench-ray         a batch on a Ray cluster: the coordinator's time for each task, beside --workers (root)"
	@echo "make bench-mcp         the time of a call over MCP, in memory and of a small real window; ARGS='--before DIR': beside another checkout"
	@echo "make bench-guard       how soon a stop is obeyed while something types, drags, hangs or thinks"
	@echo "make bench-view        a desktop in a browser: first picture, change and click to the page, processor time, memory"
	@echo "make bench-desktop     a private desktop's start, end and memory; ARGS='--beside 8' with Calc on each"
	@echo "make test-fresh [SUITE=bookworm|trixie]   demo and tests on a bare Debian (root)"
	@echo "make lock              renew requirements.lock and the locks of the clients that tests use"
	@echo "make clean             remove what make brought and built"

demo:
	$(bootstrap) demo
	@$(BIN)/deskhand demo $(out) $(ARGS)

test:
	$(bootstrap) test
	@$(BIN)/python -m tools.run_tests $(ARGS)

check:
	$(bootstrap) check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright --warnings --threads 2
	PYTHONPATH=src $(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python tools/check_words.py
	$(BIN)/python tools/check_requirements.py
	$(BIN)/python tools/check_complexity.py
	PYTHONPATH=src $(BIN)/python -m tools.state_docs --check
	$(BIN)/python -m tools.toolkit_docs --check
	PYTHONPATH=src $(BIN)/python -m tools.tool_docs --check
	$(BIN)/python -m tools.sync_twin --check
	PYTHONPATH=src $(BIN)/python -m tools.settings_docs --check
	PYTHONPATH=src $(BIN)/python -m tools.effect_docs --check

fmt:
	$(bootstrap) check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs:
	$(bootstrap) check
	PYTHONPATH=src $(BIN)/python -m tools.state_docs
	$(BIN)/python -m tools.toolkit_docs
	PYTHONPATH=src $(BIN)/python -m tools.tool_docs
	$(BIN)/python -m tools.sync_twin
	PYTHONPATH=src $(BIN)/python -m tools.settings_docs
	PYTHONPATH=src $(BIN)/python -m tools.effect_docs

site:
	$(bootstrap) site
	@PYTHONPATH=src $(BIN)/python -m tools.build_site

mutate-states:
	$(bootstrap) test
	@$(BIN)/python -m tools.mutate_states $(ARGS)

eval-office:
	$(bootstrap) test
	@$(BIN)/deskhand eval run office-20 --solutions $(ARGS)

soak:
	$(bootstrap) demo
	@$(BIN)/python -m tools.soak $(N)

sweep-resume:
	$(bootstrap) bench
	@PYTHONPATH=src:.:tests $(BIN)/python -m tools.sweep_resume $(ARGS)

trials:
	$(bootstrap) test
	@DESKHAND_TRIALS=full $(BIN)/python -m tools.run_tests $(ARGS)

bench-states bench-long bench-batch bench-prompt bench-models bench-grounding: bench-%:
	$(bootstrap) check
	@$(bench)$* $(ARGS)

bench-settle bench-pictures bench-desktop bench-share bench-demo: bench-%:
	$(bootstrap) demo
	@$(bench)$* $(ARGS)

bench-guard bench-act bench-tokens bench-mcp bench-wheel bench-routes bench-ray: bench-%:
	$(bootstrap) bench
	@$(bench)$* $(ARGS)

bench-view:
	$(bootstrap) test
	@$(bench)view $(ARGS)

bench-ocr:
	$(bootstrap) test
	@$(bench)ocr $(ARGS)

eval-miniwob:
	$(bootstrap) demo
	@PYTHONPATH=src:.:tests $(BIN)/python -m tools.eval_miniwob $(ARGS)

bench-conformance:
	$(bootstrap) conformance
	@$(bench)conformance $(ARGS)

bench-peers:
	$(bootstrap) peers
	@$(bench)peers $(ARGS)

bench-testing:
	$(bootstrap) peers
	@$(bench)testing $(ARGS)

bench-observe:
	$(bootstrap) bench
	@$(bench)observe --json bench-observe.json $(ARGS)

golden:
	$(bootstrap) check
	@PYTHONPATH=src:.:tests $(BIN)/python -m tools.golden_pictures $(ARGS)

golden-observations:
	$(bootstrap) test
	@$(BIN)/python -m tools.golden_observations $(ARGS)

test-fresh:
	@$(PYTHON) tools/fresh.py --suite $(SUITE) $(ARGS)

lock:
	$(bootstrap) check
	UV_SYSTEM_CERTS=1 UV_PYTHON_DOWNLOADS=never .tools/uv/bin/uv pip compile pyproject.toml --group dev --universal \
	  --python $(BIN)/python --generate-hashes --no-header --no-annotate -q -o requirements.lock
	for name in conformance mcp1 mcp2 peers site; do UV_SYSTEM_CERTS=1 UV_PYTHON_DOWNLOADS=never .tools/uv/bin/uv pip compile --group $$name \
	  --universal --python $(BIN)/python --generate-hashes --no-header --no-annotate -q -o tools/$$name.txt; done

clean:
	rm -rf .venv .venv-conformance .venv-qt6 .venv-mcp1 .venv-mcp2 .venv-peers .venv-site .tools site deskhand-demo deskhand-soak .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
