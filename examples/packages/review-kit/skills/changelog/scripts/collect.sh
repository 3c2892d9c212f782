#!/bin/sh
# Lists the subjects of all commits since the last tag, oldest first.
set -eu
last=$(git describe --tags --abbrev=0 2>/dev/null || true)
git log --reverse --format='%h %s' ${last:+"$last"..HEAD}
