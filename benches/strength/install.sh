#!/usr/bin/env bash
# The programs that ludex plays against: packages of Debian, PyPI and npm. Nothing of them is kept here.
set -euo pipefail
cd "$(dirname "$0")"
apt-get install -y --no-install-recommends stockfish gnugo grhino gnubg
# Debian's npm conflicts with a Node.js of another origin, which has its own
command -v npm >/dev/null 2>&1 || apt-get install -y --no-install-recommends nodejs npm
pip install open_spiel dame-rs
# its Fairy-Stockfish runs in Node.js; LUDEX_RIVALS is where npm puts it
npm install --prefix "${LUDEX_RIVALS:-/tmp/ludex-rivals}" fairy-stockfish-nnue.wasm
