#!/bin/sh
# Builds sucrase.js, its licence and its hash again. For development only: it needs npm, the product does not.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm install --silent --no-save --ignore-scripts sucrase@3.35.1 esbuild@0.28.2
cp "$here/entry.js" entry.js
node_modules/.bin/esbuild entry.js --bundle --format=iife --global-name=sucrase --target=es2022 --charset=ascii \
    --minify --log-level=warning \
    --banner:js="/* sucrase 3.35.1, MIT licence (see sucrase.LICENSE); built by build.sh, not to be edited */" \
    --outfile="$here/sucrase.js"
cp node_modules/sucrase/LICENSE "$here/sucrase.LICENSE"
cd "$here"
sha256sum sucrase.js > sucrase.js.sha256
