"""How a case is written: f = the work failed, t = transient, n = the status is an answer, ok = it succeeded, m = masked."""


class Cases(list):
    def _add(self, want, id, tool, command, **more):
        self.append({"id": id, "tool": tool, "command": command, "want": want, "needs": tool, **more})

    def f(self, id, tool, category, command, **more):
        self._add("F2:" + category, id, tool, command, **more)

    def t(self, id, tool, category, command, **more):
        self._add("F1:" + category, id, tool, command, **more)

    def m(self, id, tool, category, command, **more):
        self._add("M:" + category, id, tool, command, **more)

    def n(self, id, tool, command, **more):
        self._add("NOT", id, tool, command, **more)

    def ok(self, id, tool, command, **more):
        self._add("OK", id, tool, command, **more)

    def said(self, want, id, tool_name, input, text):
        """A text that no tool was run for: an agent's own sentences."""
        self.append({"id": id, "tool": tool_name, "tool_name": tool_name, "command": input, "want": want, "text": text})
