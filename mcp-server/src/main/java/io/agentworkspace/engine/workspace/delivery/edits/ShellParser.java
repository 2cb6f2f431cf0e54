package io.agentworkspace.engine.workspace.delivery.edits;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.workspace.delivery.edits.ShellCommand.Word;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Divides a text of a POSIX shell into its commands, in order, with those in substitutions and subshells. */
final class ShellParser {
    private static final int MAX_DEPTH = 20;
    private static final String ENDS_WORD = " \t\n;&|<>()";
    private static final Pattern ASSIGNMENT = Pattern.compile("^[A-Za-z_][A-Za-z0-9_]*=");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]");
    private static final Pattern SPACES = Pattern.compile("\\s+");
    private static final Pattern NUMBERED = Pattern.compile("[0-9]+(?=[<>])");
    private static final List<String> KEYWORDS = List.of(
            "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "esac", "coproc");

    /** The rest of <code>((…))</code>, which computes. Two subshells begin in the same way, but have commands. */
    private static final Pattern ARITHMETIC = Pattern.compile("\\([^();\\n]*\\)\\)");

    /** Commands that assign, too. */
    private static final List<String> DECLARES = List.of("export", "local", "declare", "readonly", "typeset");

    /** Characters by their number, as in <code>$'\x41'</code>. */
    private static final Pattern CODE = Pattern.compile("\\\\(?:[xu]([0-9A-Fa-f]{1,4})|([0-7]{1,3}))");

    /** Receives what is parsed. */
    interface Listener {
        void command(ShellCommand command);

        /** A subshell begins: what it changes, ends with it. */
        void opened();

        void closed();
    }

    /** @param isLiteral whether the shell expands nothing in it */
    private record HereText(String delimiter, boolean isIndented, boolean isLiteral, StringBuilder text) {}

    private final String text;
    private final Listener listener;
    private final StepAllowance allowance;
    private final Map<String, Word> variables;
    private final int depth;
    private final List<Runnable> line = new ArrayList<>();
    private final List<HereText> hereTexts = new ArrayList<>();
    private int at;

    /** @param variables those that are known; what the text assigns is added */
    ShellParser(String text, Listener listener, StepAllowance allowance, Map<String, Word> variables) {
        this(text, listener, allowance, new HashMap<>(variables), 0);
    }

    private ShellParser(
            String text, Listener listener, StepAllowance allowance, Map<String, Word> variables, int depth) {
        this.text = text;
        this.listener = listener;
        this.allowance = allowance;
        this.variables = variables;
        this.depth = depth;
    }

    void parse() {
        while (at < text.length()) {
            list(0, false);
        }
        endLine();
    }

    /** The words and outputs of the command that is being read. */
    private static final class Draft {
        private final List<Word> words = new ArrayList<>();
        private final List<Word> outputs = new ArrayList<>();
        private final StringBuilder input = new StringBuilder();

        private boolean hasBegun;

        /** Whether <code>[[</code> has begun and not ended yet. */
        private boolean isTest;

        void add(Word word) {
            words.add(word);
            if (isTest) {
                isTest = !word.text().equals("]]");
            } else if (!hasBegun && !KEYWORDS.contains(word.text())) {
                hasBegun = true;
                isTest = word.text().equals("[[");
            }
        }
    }

    /** Reads commands up to the end, or to the bracket that ends a subshell. */
    private void list(int level, boolean isInner) {
        var draft = new Draft();
        while (at < text.length()) {
            allowance.take();
            var c = text.charAt(at);
            if (draft.isTest && ";|&()<>".indexOf(c) >= 0) {
                at++; // It compares.
                continue;
            }
            switch (c) {
                case ' ', '\t', '\r' -> at++;
                case '\n' -> {
                    at++;
                    draft = ended(draft);
                    endLine();
                }
                case ';', '|' -> {
                    at++;
                    draft = ended(draft);
                }
                case '&' -> {
                    if (text.startsWith("&>", at)) {
                        at++;
                        redirect(draft, level);
                    } else {
                        at++;
                        draft = ended(draft);
                    }
                }
                case '(' -> {
                    at++;
                    if (draft.words.isEmpty()
                            && ARITHMETIC
                                    .matcher(text)
                                    .region(at, text.length())
                                    .lookingAt()) {
                        arithmetic();
                    } else if (draft.words.isEmpty() && level < MAX_DEPTH) {
                        line.add(listener::opened);
                        list(level + 1, true);
                        line.add(listener::closed);
                    } else {
                        draft = new Draft(); // A function's name, or what no shell accepts.
                    }
                }
                case ')' -> {
                    at++;
                    if (isInner) {
                        ended(draft);
                        return;
                    }
                    draft = new Draft(); // The pattern of a case.
                }
                case '#' -> at = end('\n');
                case '<', '>' -> redirect(draft, level);
                default -> word(draft, level);
            }
        }
        ended(draft);
    }

    private void word(Draft draft, int level) {
        var number = NUMBERED.matcher(text).region(at, text.length());
        if (number.lookingAt()) {
            at = number.end();
            redirect(draft, level);
        } else {
            draft.add(next(level));
        }
    }

    private int end(char mark) {
        var end = text.indexOf(mark, at);
        return end < 0 ? text.length() : end;
    }

    private void endLine() {
        for (var here : hereTexts) {
            while (at < text.length()) {
                var end = end('\n');
                var content = text.substring(at, end);
                allowance.take(1 + content.length());
                at = Math.min(text.length(), end + 1);
                if ((here.isIndented() ? content.stripLeading() : content).equals(here.delimiter())) {
                    break;
                }
                here.text().append(content).append('\n');
            }
            if (!here.isLiteral() && depth < MAX_DEPTH) {
                new ShellParser(here.text().toString(), nested(), allowance, variables, depth + 1).substitutions();
            }
        }
        hereTexts.clear();
        var ready = List.copyOf(line);
        line.clear();
        ready.forEach(Runnable::run);
    }

    /** Reads the substitutions in a text that is no command itself. */
    private void substitutions() {
        while (at < text.length()) {
            allowance.take();
            if (text.charAt(at) == '\\') {
                at += 2;
            } else if (!expanded(new WordDraft(), 0)) {
                at++;
            }
        }
        endLine();
    }

    /** Passes what is within double brackets. */
    private void arithmetic() {
        var end = text.indexOf("))", at);
        at = end < 0 ? text.length() : end + 2;
    }

    private void redirect(Draft draft, int level) {
        var rest = text.substring(at, Math.min(text.length(), at + 3));
        if (rest.startsWith("<<<")) {
            at += 3;
            draft.input.append(operand(level).text());
        } else if (rest.startsWith("<<")) {
            var isIndented = rest.equals("<<-");
            at += isIndented ? 3 : 2;
            var begin = at;
            var delimiter = operand(level).text();
            var isLiteral = !text.substring(begin, at).strip().equals(delimiter);
            hereTexts.add(new HereText(delimiter, isIndented, isLiteral, draft.input));
        } else if (rest.startsWith("<(") || rest.startsWith(">(")) {
            draft.add(next(level));
        } else if (rest.startsWith("<>") || rest.startsWith(">>") || rest.startsWith(">|")) {
            at += 2;
            draft.outputs.add(operand(level));
        } else if (rest.startsWith("<")) {
            at += rest.startsWith("<&") ? 2 : 1;
            operand(level);
        } else {
            var isCopy = rest.startsWith(">&");
            at += isCopy ? 2 : 1;
            var to = operand(level);
            if (!isCopy || !to.text().matches("[0-9]*-?")) {
                draft.outputs.add(to);
            }
        }
    }

    private Word operand(int level) {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
        return next(level);
    }

    /** Removes the words at the beginning to which the condition applies, and returns them. */
    private static List<Word> removeFirst(List<Word> words, Predicate<Word> condition) {
        var removed = words.stream().takeWhile(condition).toList();
        words.subList(0, removed.size()).clear();
        return removed;
    }

    private Draft ended(Draft draft) {
        var words = new ArrayList<>(draft.words);
        removeFirst(words, word -> KEYWORDS.contains(word.text()));
        if (!words.isEmpty() && words.getFirst().text().equals("function")) {
            words.subList(0, Math.min(3, words.size())).clear(); // Its name and its bracket.
        }
        if (!words.isEmpty() && words.getFirst().text().equals("for")) {
            loop(words);
            return new Draft();
        }
        if (words.size() > 1 && DECLARES.contains(words.getFirst().text())) {
            words.removeFirst();
            removeFirst(words, Word::isOption);
        }
        for (var word :
                removeFirst(words, word -> ASSIGNMENT.matcher(word.text()).find())) {
            var equals = word.text().indexOf('=');
            variables.put(word.text().substring(0, equals), word.from(equals + 1));
        }
        if (!words.isEmpty() || !draft.outputs.isEmpty()) {
            var command = new ShellCommand(words, draft.outputs, draft.input);
            line.add(() -> listener.command(command));
        }
        return new Draft();
    }

    /** In the loop, the variable is each of the words. */
    private void loop(List<Word> words) {
        if (words.size() > 3 && words.get(2).text().equals("in")) {
            var values = words.subList(3, words.size());
            variables.put(
                    words.get(1).text(),
                    values.size() == 1
                            ? values.getFirst()
                            : oneOf(
                                    values.stream().map(Word::pattern),
                                    values.stream().allMatch(Word::isKnown)));
        }
    }

    private static Word oneOf(Stream<String> patterns, boolean isKnown) {
        var all = patterns.collect(Collectors.joining(",", "{", "}"));
        return new Word(all, all, true, isKnown);
    }

    /** A word that is being read. */
    private static final class WordDraft {
        private final StringBuilder text = new StringBuilder();
        private final StringBuilder pattern = new StringBuilder();
        private boolean isPattern;
        private boolean isKnown = true;
        private boolean isQuoted;

        void literal(char c) {
            text.append(c);
            pattern.append("*?[]{}".indexOf(c) >= 0 ? "[" + c + "]" : c);
        }

        void add(Word word) {
            text.append(word.text());
            pattern.append(word.pattern());
            isPattern |= word.isPattern();
            isKnown &= word.isKnown();
        }

        void unknown() {
            add(new Word("", "*", false, false));
        }

        Word word() {
            return new Word(text.toString(), pattern.toString(), isPattern, isKnown);
        }
    }

    private Word next(int level) {
        var word = new WordDraft();
        var begin = at;
        while (at < text.length()) {
            allowance.take();
            var c = text.charAt(at);
            if (at == begin && (text.startsWith("<(", at) || text.startsWith(">(", at))) {
                at++;
                substituted(word, level);
            } else if (ENDS_WORD.indexOf(c) >= 0) {
                break;
            } else if (c == '\'') {
                quoted(word);
            } else if (c == '"') {
                at++;
                doubleQuoted(word, level);
            } else if (!expanded(word, level)) {
                plain(word, begin, c);
            }
        }
        if (at == begin) {
            at++; // No shell accepts this here.
        }
        return word.word();
    }

    private void plain(WordDraft word, int begin, char c) {
        at++;
        if (c == '\\' && at < text.length()) {
            var next = text.charAt(at++);
            if (next != '\n') {
                word.literal(next);
            }
        } else if (c == '~' && at == begin + 1 && (at == text.length() || "/ \t\n;&|".indexOf(text.charAt(at)) >= 0)) {
            variable(word, "HOME");
        } else if ("*?[]{}".indexOf(c) >= 0) {
            word.text.append(c);
            word.pattern.append(c);
            word.isPattern = true;
        } else {
            word.literal(c);
        }
    }

    private void quoted(WordDraft word) {
        at++;
        var end = end('\'');
        text.substring(at, end).chars().forEach(each -> word.literal((char) each));
        allowance.take(1 + end - at);
        at = Math.min(text.length(), end + 1);
    }

    /** Reads what is between <code>$'</code> and the next quotation mark that no backslash precedes. */
    private void escaped(WordDraft word) {
        var code = CODE.matcher(text);
        while (at < text.length() && text.charAt(at) != '\'') {
            allowance.take();
            if (code.region(at, text.length()).lookingAt()) {
                var isOctal = code.group(2) != null;
                word.literal((char) Integer.parseInt(code.group(isOctal ? 2 : 1), isOctal ? 8 : 16));
                at = code.end();
            } else {
                at += text.charAt(at) == '\\' && at + 1 < text.length() ? 1 : 0;
                word.literal(text.charAt(at++));
            }
        }
        at++;
    }

    private void doubleQuoted(WordDraft word, int level) {
        word.isQuoted = true;
        while (at < text.length() && text.charAt(at) != '"') {
            allowance.take();
            var c = text.charAt(at);
            if (c == '\\' && at + 1 < text.length() && "$`\"\\\n".indexOf(text.charAt(at + 1)) >= 0) {
                at += 2;
                if (text.charAt(at - 1) != '\n') {
                    word.literal(text.charAt(at - 1));
                }
            } else if (!expanded(word, level)) {
                word.literal(c);
                at++;
            }
        }
        at++;
        word.isQuoted = false;
    }

    /** Reads a variable or a substitution, if one begins here. */
    private boolean expanded(WordDraft word, int level) {
        if (text.charAt(at) == '`') {
            at++;
            var end = end('`');
            if (depth < MAX_DEPTH) {
                new ShellParser(text.substring(at, end), nested(), allowance, variables, depth + 1).parse();
            }
            at = Math.min(text.length(), end + 1);
            word.unknown();
        } else if (text.startsWith("$((", at)) {
            arithmetic();
            word.unknown();
        } else if (text.startsWith("$(", at)) {
            at++;
            substituted(word, level);
        } else if (text.startsWith("${", at)) {
            at += 2;
            var end = end('}');
            variable(word, text.substring(at, end));
            at = Math.min(text.length(), end + 1);
        } else if (text.startsWith("$'", at)) {
            at += 2;
            escaped(word);
        } else {
            var name = NAME.matcher(text).region(Math.min(text.length(), at + 1), text.length());
            if (text.charAt(at) != '$' || !name.lookingAt()) {
                return false;
            }
            at = name.end();
            variable(word, name.group());
        }
        return true;
    }

    private void substituted(WordDraft word, int level) {
        at++;
        word.unknown();
        if (level < MAX_DEPTH) {
            line.add(listener::opened);
            list(level + 1, true);
            line.add(listener::closed);
        }
    }

    /** Receives the commands of a text within the text: after those before it. */
    private Listener nested() {
        return new Listener() {
            @Override
            public void command(ShellCommand command) {
                line.add(() -> listener.command(command));
            }

            @Override
            public void opened() {
                line.add(listener::opened);
            }

            @Override
            public void closed() {
                line.add(listener::closed);
            }
        };
    }

    private void variable(WordDraft word, String name) {
        var value = variables.get(name);
        if (value == null || word.pattern.length() + value.pattern().length() > ClientPath.LONGEST) {
            word.unknown();
        } else if (!word.isQuoted && SPACES.matcher(value.pattern()).find()) {
            word.add(oneOf(SPACES.splitAsStream(value.pattern().strip()), value.isKnown()));
        } else {
            word.add(value);
        }
    }
}
