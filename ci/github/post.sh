#!/usr/bin/env bash
# Posts a review's plan on its pull request, by the command of the sources that this file lies in, run by the machine's own
# Python: nothing is built, and nothing of the change under review is here but the plan, which is data. Reads INPUT_* and
# GITHUB_TOKEN.
set -euo pipefail

fail() {
  printf '::error title=stridewise::%s\n' "$1"
  exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ -n ${GITHUB_TOKEN:-} ]] || fail "no token; give the input 'token', and the job the permission pull-requests: write"
[[ ${INPUT_HEAD:-} =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]] || fail "the input 'head' must be a whole commit id, named by the event"
[[ ${INPUT_MAX_COMMENTS:-25} =~ ^[0-9]{1,4}$ ]] || fail "the input 'max-comments' must be a number"
plan=$(realpath -e -- "${INPUT_PLAN:?}" 2>/dev/null) || fail "there is no plan; did the analysis leave one?"

environment=${RUNNER_TEMP:?}/stridewise-post
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "posting needs Python 3.11 or newer"
if [[ ! -f $environment/.complete ]]; then
  python3 -I -m venv --clear "$environment"
  (unset GITHUB_TOKEN && "$environment/bin/python" -I -m pip install --quiet --disable-pip-version-check --retries 5 \
    --only-binary :all: --require-hashes -r "$here/requirements-post.txt")
  touch "$environment/.complete"
fi

# An empty folder: no file of the workspace is a module or a setting of the command.
cd "$(mktemp -d "$RUNNER_TEMP/stridewise-empty.XXXXXX")"
silence=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$silence"
status=0
PYTHONPATH=$here/../.. "$environment/bin/python" -P -m stridewise review --plan "$plan" --post github --head "$INPUT_HEAD" \
  --max-comments "${INPUT_MAX_COMMENTS:-25}" || status=$?
echo "::$silence::"
((status == 0)) || fail "the review could not be posted; the lines above say why"
