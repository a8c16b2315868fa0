#!/bin/bash
# dogtail 2.1.2: a configuration without a log file ends each program that imports it.
#
# Valid input: a folder with a dogtail_config.ini whose debug_file is None, which dogtail's logging reads as no file.
# Seen: TypeError while dogtail is imported, for it asks whether None is a file before it empties that file. With
# debug_file_persistence = True, which means that the file is not emptied, it is imported and writes no file.
#
# Run: findings/dogtail-ends-where-its-log-is-switched-off.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check 'dogtail==2.1.2'
cd "$folder"
cat > seen.py <<'PY'
try:
    import dogtail.logging
except TypeError as error:
    print(type(error).__name__, error)
else:
    print("imported")
PY
for persistence in False True; do
    printf '[config]\ndebug_file = None\ndebug_file_persistence = %s\n' "$persistence" > dogtail_config.ini
    echo "persistence $persistence: $(venv/bin/python seen.py 2> errors || { cat errors; exit 2; })"
done > seen
cat > expected <<'TEXT'
persistence False: TypeError stat: path should be string, bytes, os.PathLike or integer, not NoneType
persistence True: imported
TEXT
cat seen
diff expected seen
