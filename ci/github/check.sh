#!/usr/bin/env bash
# Analyses the project and leaves its reports: job summary, annotations, SARIF, JSON, and the plan of a review. Reads the
# action's inputs from INPUT_*; they are words of commands, never text of them. Ends with 0; the verdict is an output.
set -euo pipefail

say() { printf 'stridewise: %s\n' "$*"; }
wrong() {
  printf '::error title=stridewise::%s\n' "${1//[$'\r\n%']/ }"
  exit 2
}

one_of() {
  local name=$1 value=$2 allowed
  shift 2
  for allowed; do [[ $value == "$allowed" ]] && return; done
  wrong "the input '$name' must be one of: ${*@Q}"
}
one_of fail-on "${INPUT_FAIL_ON:-}" "" info warning error
one_of min-confidence "${INPUT_MIN_CONFIDENCE:-}" "" low medium high
one_of annotations "${INPUT_ANNOTATIONS:-true}" true false
one_of review "${INPUT_REVIEW:-off}" off plan
[[ ${INPUT_MAX_COMMENTS:-25} =~ ^[0-9]{1,4}$ ]] || wrong "the input 'max-comments' must be a number"

# The lines of an input as the array `lines`; a name that looks like an option becomes a path.
split() {
  local line
  lines=()
  while IFS= read -r line; do
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    [[ -z $line ]] || lines+=("$(named "$line")")
  done <<<"$1"
}
named() { [[ $1 == -* ]] && printf './%s' "$1" || printf '%s' "$1"; }

out=$(mktemp -d "${RUNNER_TEMP:?}/stridewise.XXXXXX")
cd "${INPUT_WORKING_DIRECTORY:-.}" || wrong "no folder ${INPUT_WORKING_DIRECTORY:-}"

common=(--cache-dir "$RUNNER_TEMP/stridewise-results")
[[ -z ${INPUT_BUILD:-} ]] || common+=(-p "$(named "$INPUT_BUILD")")
[[ -z ${INPUT_RULES:-} ]] || common+=("--rules=$INPUT_RULES")
[[ -z ${INPUT_BASELINE:-} ]] || common+=(--baseline "$(named "$INPUT_BASELINE")")
judged=()
[[ -z ${INPUT_FAIL_ON:-} ]] || judged+=(--fail-on "$INPUT_FAIL_ON")
[[ -z ${INPUT_MIN_CONFIDENCE:-} ]] || judged+=(--min-confidence "$INPUT_MIN_CONFIDENCE")
split "${INPUT_PATHS:-}" && paths=("${lines[@]}")
split "${INPUT_RUNS:-}" && runs=("${lines[@]}")
split "${INPUT_BASE_RUNS:-}" && base_runs=("${lines[@]}")

# What the tool prints holds names of the project's files: none of it may be an order to the runner.
silence=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$silence"
resume() { echo "::$silence::"; }

lint=0
stridewise lint "${common[@]}" ${INPUT_MIN_CONFIDENCE:+--min-confidence "$INPUT_MIN_CONFIDENCE"} \
  --format json -o "$out/lint.json" "${paths[@]}" || lint=$?
if [[ ! -s $out/lint.json ]]; then
  resume
  wrong "nothing could be analysed; the lines above say why"
fi

report() { stridewise report "${runs[@]}" --lint "$out/lint.json" "$@"; }
status=0
report "${judged[@]}" --format json -o "$out/report.json" 2>/dev/null || status=$?
report "${judged[@]}" --format sarif -o "$out/report.sarif" 2>/dev/null || true
report "${judged[@]}" --format markdown -o "$out/report.md" 2>/dev/null || true
[[ -s $out/report.json && -s $out/report.sarif && -s $out/report.md ]] || {
  report "${judged[@]}" --format text || true
  resume
  wrong "the report could not be made; the lines above say why"
}

plan=
if [[ ${INPUT_REVIEW:-off} != off ]]; then
  if [[ -z ${INPUT_BASE:-}${GITHUB_BASE_REF:-} ]]; then
    say "no pull request, so nothing is reviewed"
  else
    review=(review "${common[@]}" "${judged[@]}" --max-comments "${INPUT_MAX_COMMENTS:-25}")
    [[ -z ${INPUT_BASE:-} ]] || review+=("--base=$INPUT_BASE")
    for run in "${runs[@]}"; do review+=(--run "$run"); done
    for run in "${base_runs[@]}"; do review+=(--base-run "$run"); done
    status=0
    stridewise "${review[@]}" --format json -o "$out/plan.json" || status=$?
    if [[ ! -s $out/plan.json ]]; then
      resume
      wrong "the change could not be reviewed; the lines above say why"
    fi
    plan=$out/plan.json
    stridewise "${review[@]}" --format markdown -o "$out/review.md" 2>/dev/null || true
  fi
fi
resume

# A unit that could not be analysed may hide what should fail.
((lint != 2)) || status=2

for part in "$out/review.md" "$out/report.md"; do
  [[ ! -s $part ]] || { cat "$part" && echo; } >>"$out/summary.md"
done
cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
if [[ ${INPUT_ANNOTATIONS:-true} == true ]]; then
  report "${judged[@]}" --format github 2>/dev/null || true
fi
findings=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["findings"]))' "$out/report.json")
{
  echo "status=$status"
  echo "findings=$findings"
  echo "json=$out/report.json"
  echo "sarif=$out/report.sarif"
  echo "summary=$out/summary.md"
  echo "plan=$plan"
} >>"$GITHUB_OUTPUT"
say "$findings findings, status $status"
