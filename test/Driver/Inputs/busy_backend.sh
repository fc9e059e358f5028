#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A backend that never ends, and uses all its time, in a child. Where it may, it goes before all other work of the machine.
if chrt -f 1 true 2>/dev/null; then
  chrt -f 1 sh -c "while :; do :; done" &
else
  for i in 1 2 3 4 5 6 7 8; do sh -c "while :; do :; done" & done
fi
wait
