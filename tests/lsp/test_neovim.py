"""A real client: Neovim without a screen, set up as docs/editors.md says, on the Lattice-Boltzmann program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from client import PATIENCE_SECONDS, TOP

SETTINGS = re.compile(r"Older ones.*?```lua\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Each step waits for what it needs; what it saw is printed for the test to judge. Errors end the editor with status 1.
SCRIPT = r"""
local function fail(why)
  io.stderr:write(tostring(why), '\n')
  vim.cmd('cquit 1')
end

local function wait(what, condition)
  if not vim.wait(PATIENCE, condition, 50) then error('waited in vain for ' .. what) end
end

local function found()
  return vim.diagnostic.get(0)
end

local function strided()
  return vim.tbl_filter(function(d) return d.code == 'mem-strided-inner-loop' end, found())
end

local function act(title)
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics() }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, PATIENCE)
  for id, answer in pairs(answers or {}) do
    for _, action in ipairs(answer.result or {}) do
      if action.title:find(title, 1, true) then
        vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(id).offset_encoding)
        return action.title
      end
    end
  end
  error('no action ' .. title)
end

local ok, why = xpcall(function()
  vim.cmd('edit physics.c')
  wait('diagnostics', function() return #strided() == 2 end)
  for _, d in ipairs(strided()) do
    print('DIAGNOSTIC ' .. (d.lnum + 1) .. ' ' .. d.source .. ' ' .. d.severity)
  end
  local first = strided()[1].lnum + 1
  vim.api.nvim_win_set_cursor(0, { first, 5 })
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', vim.lsp.util.make_position_params(), PATIENCE)
  for _, answer in pairs(answers) do print('HOVER ' .. answer.result.contents.value:match('[^\n]*')) end
  print('ACTION ' .. act('xchange the loops over'))
  wait('the loop to be mended', function() return #strided() == 1 end)
  vim.api.nvim_win_set_cursor(0, { strided()[1].lnum + 1, 5 })
  print('ACTION ' .. act('uppress mem-strided-inner-loop'))
  wait('the other to be silent', function() return #strided() == 0 end)
  vim.cmd('write')
  vim.lsp.stop_client(vim.lsp.get_active_clients())
  wait('the end', function() return #vim.lsp.get_active_clients() == 0 end)
end, debug.traceback)
if not ok then fail(why) end
vim.cmd('qall!')
"""


def test_neovim_mends_the_lattice_boltzmann_program(lbm: Path, tmp_path: Path) -> None:
    """Opens the kernel, gets the diagnostics, exchanges the loops by code action, and the saved file has it."""
    assert shutil.which("nvim"), "Neovim is not installed; scripts/bootstrap.sh installs it (Debian: neovim)"
    settings = SETTINGS.search((TOP / "docs/editors.md").read_text(encoding="utf-8"))
    assert settings is not None
    (tmp_path / "init.lua").write_text(settings[1], encoding="utf-8")
    script = SCRIPT.replace("PATIENCE", str(int(PATIENCE_SECONDS * 1000)))
    (tmp_path / "steps.lua").write_text(script, encoding="utf-8")
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "stridewise").write_text(
        f'#!/bin/sh\nPYTHONPATH="{TOP}" exec "{sys.executable}" -m stridewise "$@" --log-file "{tmp_path}/log"\n'
    )
    (commands / "stridewise").chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment |= {"PATH": f"{commands}:{os.environ['PATH']}", "HOME": str(tmp_path), "TERM": "dumb"}
    done = subprocess.run(
        ["nvim", "--headless", "-n", "-i", "NONE", "-u", str(tmp_path / "init.lua"), "-S", str(tmp_path / "steps.lua")],
        cwd=lbm,
        env=environment,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_SECONDS,
        check=False,
    )
    said = (done.stdout + done.stderr).replace("\r", "").split("\n")
    assert done.returncode == 0, done.stderr
    assert sorted(line for line in said if line.startswith("DIAGNOSTIC")) == [
        "DIAGNOSTIC 49 stridewise 2",
        "DIAGNOSTIC 57 stridewise 2",
    ]
    assert any("HOVER **mem-strided-inner-loop**" in line for line in said)
    assert any(
        "ACTION Exchange the loops over 'j' and 'i' (mem-strided-inner-loop; unsafe: the arrays may overlap, and "
        "threads then divide the loop over 'i')" in line
        for line in said
    ), said
    saved = (lbm / "physics.c").read_text(encoding="utf-8")
    mended = (TOP / "tests/kernels/lbm/steps/05-loop-order/physics.c").read_text(encoding="utf-8")
    assert _function(saved, "collision") == _function(mended, "collision")
    assert "    // NOLINTNEXTLINE(stridewise-mem-strided-inner-loop): reason\n    for (int i = 1;" in saved


def _function(text: str, name: str) -> list[str]:
    """The lines of a function, without comments."""
    begin = text.index(f"void {name}(")
    lines = text[begin : text.index("\n}\n", begin)].split("\n")
    return [line for line in lines if not line.strip().startswith("//")]
