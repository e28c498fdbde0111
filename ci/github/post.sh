#!/usr/bin/env bash
# Posts a review's plan on its pull request. Reads INPUT_* and GITHUB_TOKEN. With STRIDEWISE_SOURCES the command of these sources
# is run by the machine's own Python, without anything that was built.
set -euo pipefail

fail() {
  printf '::error title=stridewise::%s\n' "$1"
  exit 2
}

[[ -n ${GITHUB_TOKEN:-} ]] || fail "no token; give the input 'token', and the job the permission pull-requests: write"
if [[ -n ${INPUT_HEAD_REPOSITORY:-} && $INPUT_HEAD_REPOSITORY != "${GITHUB_REPOSITORY:-}" ]]; then
  echo "::notice title=stridewise::a fork's pull request has no right to comment; see \"Forks\" in docs/ci.md"
  exit 0
fi

command=(stridewise)
if [[ -n ${STRIDEWISE_SOURCES:-} ]]; then
  environment=${RUNNER_TEMP:?}/stridewise-post
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "posting needs Python 3.11 or newer"
  if [[ ! -f $environment/.complete ]]; then
    python3 -m venv --clear "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 'urllib3>=2,<3'
    touch "$environment/.complete"
  fi
  export PYTHONPATH=$STRIDEWISE_SOURCES
  command=("$environment/bin/python" -P -m stridewise)
fi

silence=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$silence"
status=0
"${command[@]}" review --plan "$INPUT_PLAN" --post github ${INPUT_HEAD:+--head "$INPUT_HEAD"} \
  --max-comments "${INPUT_MAX_COMMENTS:-25}" || status=$?
echo "::$silence::"
((status == 0)) || fail "the review could not be posted; the lines above say why"
