# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commands.py VITC PAGE: every command that `vitc --help` lists has a help text with usage and examples, and a section of
docs/CommandLine.md."""
import pathlib
import re
import subprocess
import sys


def help_of(vitc, *command):
    return subprocess.run([vitc, *command, "--help"], capture_output=True, text=True, check=True).stdout


def main(vitc, page):
    listed = help_of(vitc).partition("\ncommands:\n")[2].partition("\n\n")[0].splitlines()
    commands = [line.split()[0] for line in listed]
    text = pathlib.Path(page).read_text()
    lacking = []
    for command in commands:
        own = help_of(vitc, command)
        if not own.startswith(f"usage: vitc {command}"):
            lacking.append(f"`vitc {command} --help` does not start with `usage: vitc {command}`")
        if "\nexamples:\n" not in own:
            lacking.append(f"`vitc {command} --help` has no examples")
        if not re.search(rf"^## vitc {command}\b", text, re.MULTILINE):
            lacking.append(f"{page} has no section `## vitc {command}`")
    print("\n".join(lacking) or f"{len(commands)} commands: {' '.join(commands)}")
    return int(bool(lacking) or not commands)


sys.exit(main(*sys.argv[1:]))
