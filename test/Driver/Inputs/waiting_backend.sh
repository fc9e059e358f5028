#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A backend that never ends, and uses no time.
sleep 987
