// The editor of rules: CodeMirror with the colours of the language and the diagnostics of the checker. It lives in a
// shadow root, where its styles are style sheets of scripts, which a strict content security policy allows.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const directives = new Set(
  "about board constant define discontiguous example figure function game include initial notation option perft pieces players record redefine scratch state table variant_of with".split(" "),
);
const ends = new Set(["move", "win", "lose", "draw", "over", "chance", "score"]);

const language = StreamLanguage.define({
  name: "ludex",
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment) {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.comment = false;
      } else stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("/*")) {
      state.comment = true;
      return "comment";
    }
    if (stream.match(/^%.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
    if (stream.match(/^\d+/)) return "number";
    if (stream.match(/^[A-Z_]\w*/)) return "variableName";
    const word = stream.match(/^[a-z]\w*/);
    if (word) {
      if (directives.has(word[0]) && /^\s*:-\s*$/.test(stream.string.slice(0, stream.start))) return "keyword";
      if (ends.has(word[0])) return "heading";
      return /^\s*\(/.test(stream.string.slice(stream.pos)) ? "propertyName" : "atom";
    }
    if (stream.match(/^(:-|:=|\+=|-=|->|\\\+|=:=|=\\=|\\=|=<|>=|is\b|[;<>=])/)) return "operator";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "%" } },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--warn)" },
  { tag: tags.variableName, color: "var(--accent)" },
  { tag: tags.keyword, fontWeight: "bold" },
  { tag: tags.heading, fontWeight: "bold" },
  { tag: tags.operator, color: "var(--faint)", fontWeight: "bold" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "0.9rem", maxHeight: "75vh" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', monospace", minHeight: "18rem", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "rgba(110, 150, 230, 0.35) !important" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--faint)", maxWidth: "30rem" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap" },
  // in place of pictures, which the content security policy does not allow
  ".cm-lintRange": { backgroundImage: "none !important", textDecoration: "underline wavy var(--warn)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--faint)" },
});

/** Makes an editor in an element. `changed` is called after each change of the text. */
export function edit(parent, text, changed) {
  const root = parent.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        language,
        syntaxHighlighting(colours),
        theme,
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "Rules", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && changed()),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    /** Marks the places of faults: each has `line`, `column`, `severity`, `message` and `hints`. */
    mark(faults) {
      const doc = view.state.doc;
      const found = faults.map(({ line, column, severity, message, hints }) => {
        const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
        const from = Math.min(at.from + (column || 1) - 1, at.to);
        const word = /^\w+/.exec(doc.sliceString(from, at.to));
        const to = Math.max(from, Math.min(at.to, from + (word ? word[0].length : 1)));
        return { from, to, severity, message: [message, ...hints].join("\n") };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
  };
}
