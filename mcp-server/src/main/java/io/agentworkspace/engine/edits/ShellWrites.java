package io.agentworkspace.engine.edits;

import io.agentworkspace.engine.edits.ShellCommand.Word;
import io.agentworkspace.engine.reservations.EditedPath;
import io.agentworkspace.engine.scheduling.StepAllowance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a command of a shell writes, as far as its text shows. What programs do that it starts, such as a build, is not known:
 * they count as readers, unless they are told to change files in place.
 */
final class ShellWrites implements ShellParser.Listener {
    private static final int MAX_DEPTH = 5;

    private static final Set<String> PREFIXES = Set.of(
            "sudo", "doas", "env", "nohup", "time", "nice", "ionice", "exec", "command", "builtin", "timeout", "stdbuf",
            "setsid", "busybox");
    private static final Set<String> SHELLS = Set.of("sh", "bash", "zsh", "dash", "ksh", "ash");
    private static final Set<String> REMOVES = Set.of(
            "rm", "unlink", "shred", "touch", "truncate", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "sponge");
    private static final Set<String> FORMATTERS = Set.of(
            "gofmt",
            "goimports",
            "shfmt",
            "clang-format",
            "yapf",
            "autopep8",
            "google-java-format",
            "yq",
            "swiftformat");
    private static final Set<String> ALWAYS_FORMAT = Set.of("black", "isort", "rustfmt");
    private static final Set<String> EDITORS = Set.of("vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "pico");
    private static final Pattern INTERPRETER = Pattern.compile("(?:python|node|deno|bun|ruby|perl|php|lua)[0-9.]*");
    private static final Set<String> CODE = Set.of("-c", "-e", "-r", "--eval", "-p", "-pe", "-ne", "eval");
    private static final Set<String> IN_PLACE =
            Set.of("--write", "--fix", "--in-place", "--inplace", "--in_place", "--apply");
    private static final Pattern BETWEEN_PATHS = Pattern.compile("[\\s\"'`(){}<>|;&=,:]+");

    /** The files that a command names. */
    enum Extent {
        FILE,
        TREE
    }

    /**
     * Files that it writes.
     *
     * @param folder in which it runs
     */
    record Write(String folder, Word word, Extent extent, boolean isCertain) {}

    private final List<Write> writes = new ArrayList<>();
    private final Deque<String> folders = new ArrayDeque<>();
    private final StepAllowance allowance;
    private final Map<String, Word> variables;
    private final boolean isWindows;
    private final int depth;
    private boolean isOpen;

    /** The folder in which the next command runs; empty if only the shell knows it. */
    private String folder;

    private ShellWrites(
            String folder, boolean isWindows, Map<String, Word> variables, StepAllowance allowance, int depth) {
        this.folder = folder;
        this.isWindows = isWindows;
        this.variables = variables;
        this.allowance = allowance;
        this.depth = depth;
    }

    /** @param folder in which the command runs */
    static ShellWrites of(
            String command, String folder, boolean isWindows, Map<String, Word> variables, StepAllowance allowance) {
        var found = new ShellWrites(folder, isWindows, variables, allowance, 0);
        new ShellParser(command, found, allowance, variables).parse();
        return found;
    }

    List<Write> writes() {
        return writes;
    }

    /** Returns whether it may write any file. */
    boolean isOpen() {
        return isOpen;
    }

    @Override
    public void opened() {
        folders.push(folder);
    }

    @Override
    public void closed() {
        folder = folders.isEmpty() ? folder : folders.pop();
    }

    @Override
    public void command(ShellCommand command) {
        command.outputs().forEach(to -> add(to, Extent.FILE, true));
        var words = new ArrayList<>(command.words());
        while (!words.isEmpty() && PREFIXES.contains(name(words.getFirst()))) {
            var prefix = name(words.removeFirst());
            while (!words.isEmpty() && isPrefixArgument(prefix, words.getFirst().text())) {
                words.removeFirst();
            }
        }
        if (!words.isEmpty()) {
            run(
                    name(words.getFirst()),
                    words.subList(1, words.size()),
                    command.input().toString());
        }
    }

    private static boolean isPrefixArgument(String prefix, String word) {
        return word.startsWith("-")
                || word.matches("[A-Za-z_][A-Za-z0-9_]*=.*")
                || !prefix.equals("env") && word.matches("[0-9.]+[smhd]?");
    }

    /** Returns a program's name without its folder. */
    private static String name(Word word) {
        var text = word.text();
        return text.substring(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)
                .replaceFirst("\\.exe$", "");
    }

    private void run(String name, List<Word> arguments, String input) {
        var operands = operands(arguments, Set.of());
        if (SHELLS.contains(name) || name.equals("eval")) {
            shell(name, arguments, input);
        } else if (REMOVES.contains(name)) {
            var isTree = has(arguments, "[a-zA-Z]*[rR][a-zA-Z]*", "--recursive");
            operands(arguments, Set.of("-s", "-r", "-t", "-d", "--size", "--reference", "--date"), name.equals("rm"))
                    .forEach(file -> add(file, isTree && name.equals("rm") ? Extent.TREE : Extent.FILE, true));
        } else {
            switch (name) {
                case "cd", "pushd" -> enter(operands);
                case "popd" -> folder = "";
                case "mv", "cp", "install", "ln", "rsync", "link" -> copy(name, arguments);
                case "tee" -> operands.forEach(file -> add(file, Extent.FILE, true));
                case "dd" ->
                    arguments.stream()
                            .filter(word -> word.text().startsWith("of="))
                            .forEach(word -> add(word.from(3), Extent.FILE, true));
                case "sed", "gsed" ->
                    script(arguments, "[nEruszl]*i.*", Set.of("-e", "-f", "--expression", "--file"), "--in-place");
                case "perl", "ruby" -> perl(arguments, input);
                case "awk", "gawk" -> {
                    if (arguments.stream().anyMatch(word -> word.text().contains("inplace"))) {
                        add(operands(arguments, Set.of("-i", "-f", "-v", "-F", "--include")).stream()
                                .skip(1)
                                .toList());
                    }
                }
                case "sort" -> after(arguments, "-o", "--output").forEach(file -> add(file, Extent.FILE, true));
                case "curl" -> after(arguments, "-o", "--output").forEach(file -> add(file, Extent.FILE, true));
                case "wget" ->
                    after(arguments, "-O", "--output-document").forEach(file -> add(file, Extent.FILE, true));
                case "patch" -> patch(arguments);
                case "git" -> git(arguments);
                case "find" -> find(arguments);
                case "xargs", "parallel" ->
                    isOpen |= writes(operands(arguments, Set.of("-n", "-P", "-I", "-L", "-d", "-s")), arguments);
                case "tar" ->
                    isOpen |= has(arguments, "", "--extract", "--get")
                            || !arguments.isEmpty()
                                    && arguments.getFirst().text().matches("-?[A-Za-z]*x[A-Za-z]*");
                case "unzip" -> isOpen |= !has(arguments, "[lptvZz]+", "");
                case "cargo", "go", "dart", "terraform" ->
                    isOpen |= !operands.isEmpty()
                            && Set.of("fmt", "fix", "format")
                                    .contains(operands.getFirst().text());
                default -> other(name, arguments, operands, input);
            }
        }
    }

    /** A program that is known to change files only if it is told to, in its options or in a program of its own. */
    private void other(String name, List<Word> arguments, List<Word> operands, String input) {
        var isFormatter = FORMATTERS.contains(name) && has(arguments, "[wiF]", "")
                || ALWAYS_FORMAT.contains(name) && !has(arguments, "", "--check", "--diff", "-c")
                || arguments.stream().anyMatch(word -> IN_PLACE.contains(word.text()))
                || name.equals("ruff")
                        && !operands.isEmpty()
                        && operands.getFirst().text().equals("format");
        if (isFormatter || EDITORS.contains(name)) {
            operands.forEach(file -> add(file, Extent.TREE, false));
        } else if (INTERPRETER.matcher(name).matches()) {
            code(arguments, input);
        }
    }

    /** The paths that a program of another language names. */
    private void code(List<Word> arguments, String input) {
        var code = new StringBuilder(input);
        for (var i = 0; i + 1 < arguments.size(); i++) {
            if (CODE.contains(arguments.get(i).text())) {
                code.append('\n').append(arguments.get(i + 1).text());
            }
        }
        allowance.take(1 + code.length());
        BETWEEN_PATHS
                .splitAsStream(code)
                .filter(word -> word.indexOf('/') >= 0 || word.indexOf('.') >= 0 || word.indexOf('\\') >= 0)
                .limit(EditedFiles.MOST)
                .forEach(path -> add(new Word(path, EditedPath.literal(path), false, true), Extent.TREE, false));
    }

    private void shell(String name, List<Word> arguments, String input) {
        var texts = new ArrayList<String>();
        texts.add(input);
        if (name.equals("eval")) {
            texts.add(String.join(" ", arguments.stream().map(Word::text).toList()));
        }
        for (var i = 0; i + 1 < arguments.size(); i++) {
            if (arguments.get(i).text().matches("-[a-z]*c")) {
                texts.add(arguments.get(i + 1).text());
            }
        }
        if (depth == MAX_DEPTH) {
            isOpen = true;
            return;
        }
        for (var text : texts) {
            var inner = new ShellWrites(folder, isWindows, variables, allowance, depth + 1);
            new ShellParser(text, inner, allowance, variables).parse();
            writes.addAll(inner.writes);
            isOpen |= inner.isOpen;
        }
    }

    private void enter(List<Word> operands) {
        var to = operands.isEmpty() ? variables.get("HOME") : operands.getFirst();
        folder = to == null || !to.isKnown() || to.isPattern() || folder.isEmpty() && !ClientPath.isAbsolute(to.text())
                ? ""
                : ClientPath.resolved(folder, ClientPath.plain(to.text(), isWindows));
    }

    private void copy(String name, List<Word> arguments) {
        var folderOption = after(arguments, "-t", "--target-directory");
        var operands = new ArrayList<>(
                operands(arguments, Set.of("-t", "-m", "-o", "-g", "-S", "-e", "--exclude", "--include")));
        if (operands.isEmpty() || has(arguments, "n", "--dry-run") && name.equals("rsync")) {
            return;
        }
        var to = folderOption.isEmpty() ? operands.size() > 1 ? operands.removeLast() : null : folderOption.getFirst();
        if (name.equals("mv")) {
            operands.forEach(from -> add(from, Extent.TREE, true));
        }
        if (to == null || to.text().contains(":") && name.equals("rsync")) {
            return;
        }
        var isTree = name.equals("rsync")
                || name.equals("cp") && has(arguments, "[a-zA-Z]*[raR][a-zA-Z]*", "--recursive", "--archive");
        if (!to.text().endsWith("/")) {
            add(to, isTree ? Extent.TREE : Extent.FILE, !isTree);
        }
        for (var from : operands) { // If the target is a folder.
            var base = name(from);
            var inside = new Word(
                    to.text() + "/" + base,
                    to.pattern() + "/" + last(from.pattern()),
                    from.isPattern() || to.isPattern(),
                    from.isKnown() && to.isKnown());
            add(inside, isTree || name.equals("mv") ? Extent.TREE : Extent.FILE, !name.equals("rsync"));
        }
    }

    private static String last(String pattern) {
        return pattern.substring(pattern.lastIndexOf('/') + 1);
    }

    /** @param option the letters of the option that changes files in place */
    private void script(List<Word> arguments, String option, Set<String> valued, String... options) {
        if (!has(arguments, option, options)) {
            return;
        }
        var hasScript = arguments.stream()
                .anyMatch(word -> valued.stream()
                        .anyMatch(each -> word.text().startsWith(each) && each.length() == 2
                                || word.text().equals(each)));
        var files = operands(arguments, valued);
        add(hasScript ? files : files.stream().skip(1).toList());
    }

    private void perl(List<Word> arguments, String input) {
        var inPlace = arguments.stream()
                .anyMatch(word ->
                        word.text().matches("-[a-zA-Z0-9]*i.*") && !word.text().matches("-[MIm].*"));
        if (!inPlace) {
            code(arguments, input);
            return;
        }
        var files = new ArrayList<Word>();
        for (var i = 0; i < arguments.size(); i++) {
            var word = arguments.get(i);
            if (word.text().matches("-[a-zA-Z0-9]*[eE]")) {
                i++; // The program.
            } else if (!word.isOption()) {
                files.add(word);
            }
        }
        add(files);
    }

    private void patch(List<Word> arguments) {
        if (has(arguments, "", "--dry-run")) {
            return;
        }
        var files = operands(arguments, Set.of("-i", "-d", "-o", "-p", "-r", "--input", "--directory", "--output"));
        if (files.isEmpty() && after(arguments, "-o", "--output").isEmpty()) {
            isOpen = true;
        }
        files.stream().limit(1).forEach(file -> add(file, Extent.FILE, true));
        after(arguments, "-o", "--output").forEach(file -> add(file, Extent.FILE, true));
    }

    private void git(List<Word> all) {
        var arguments = new ArrayList<>(all);
        var here = folder;
        while (!arguments.isEmpty() && arguments.getFirst().isOption()) {
            var option = arguments.removeFirst().text();
            if (Set.of("-C", "-c", "--git-dir", "--work-tree").contains(option) && !arguments.isEmpty()) {
                var value = arguments.removeFirst();
                if (option.equals("-C")) {
                    enter(List.of(value));
                }
            }
        }
        if (!arguments.isEmpty()) {
            gitCommand(arguments.removeFirst().text(), arguments);
        }
        folder = here;
    }

    private void gitCommand(String name, List<Word> arguments) {
        var operands = operands(arguments, Set.of("-s", "--source", "-b", "-B", "-m"));
        var paths = arguments.stream().anyMatch(word -> word.text().equals("--"))
                ? arguments.stream()
                        .dropWhile(word -> !word.text().equals("--"))
                        .skip(1)
                        .toList()
                : null;
        switch (name) {
            case "checkout" -> {
                if (paths != null) {
                    paths.forEach(this::restored);
                } else if (!has(arguments, "[bB]", "--orphan")) {
                    isOpen = true;
                    operands.forEach(this::restored);
                }
            }
            case "restore" -> {
                if (!has(arguments, "S", "--staged") || has(arguments, "W", "--worktree")) {
                    (paths == null ? operands : paths).forEach(this::restored);
                }
            }
            case "rm", "mv" -> {
                if (!has(arguments, "n", "--cached", "--dry-run")) {
                    operands.forEach(file -> add(file, Extent.TREE, true));
                }
            }
            case "apply" -> isOpen |= !has(arguments, "", "--check", "--stat", "--numstat", "--summary", "--cached");
            case "reset" -> isOpen |= has(arguments, "", "--hard", "--merge", "--keep");
            case "clean" -> isOpen |= !has(arguments, "[a-zA-Z]*n[a-zA-Z]*", "--dry-run");
            case "stash" ->
                isOpen |= operands.isEmpty()
                        || !Set.of("list", "show", "drop", "clear", "create")
                                .contains(operands.getFirst().text());
            case "switch", "pull", "merge", "rebase", "cherry-pick", "revert", "am", "checkout-index", "read-tree" ->
                isOpen |= !has(arguments, "[cC]", "--create", "--abort");
            default -> {}
        }
    }

    /** A file is written, a folder only as far as it differs. */
    private void restored(Word path) {
        add(path, Extent.FILE, true);
        add(path, Extent.TREE, false);
    }

    private void find(List<Word> arguments) {
        var places = arguments.stream()
                .takeWhile(word -> !word.text().matches("[-(!].*"))
                .toList();
        var run = arguments.stream()
                .dropWhile(word -> !word.text().matches("-(exec|ok)(dir)?"))
                .skip(1)
                .toList();
        if (has(arguments, "", "-delete") || writes(run, run)) {
            places.forEach(place -> add(place, Extent.TREE, false));
            isOpen |= places.isEmpty();
        }
    }

    /** Returns whether a command, to which files are added, writes these. */
    private boolean writes(List<Word> command, List<Word> arguments) {
        var begin = command.isEmpty() ? arguments.size() : arguments.indexOf(command.getFirst());
        if (begin >= arguments.size()) {
            return false;
        }
        var words = new ArrayList<>(arguments.subList(begin, arguments.size()));
        words.add(new Word("x", "x", false, true));
        words.add(new Word("y", "y", false, true));
        var trial = new ShellWrites("", isWindows, variables, allowance, Math.min(MAX_DEPTH, depth + 1));
        if (depth < MAX_DEPTH) {
            trial.command(new ShellCommand(words, List.of(), new StringBuilder()));
        }
        return depth == MAX_DEPTH || trial.isOpen || !trial.writes.isEmpty();
    }

    private void add(List<Word> files) {
        files.forEach(file -> add(file, Extent.FILE, true));
    }

    private void add(Word word, Extent extent, boolean isCertain) {
        allowance.take();
        if (word.text().isEmpty() && word.isKnown() || word.text().startsWith("/dev/")) {
            return;
        }
        var isAbsolute = ClientPath.isAbsolute(ClientPath.plain(word.text(), isWindows));
        if (word.text().isEmpty()
                || word.pattern().startsWith("*") && !word.isKnown()
                || folder.isEmpty() && !isAbsolute) {
            isOpen = true;
        } else {
            writes.add(new Write(folder, word, extent, isCertain && word.isKnown()));
        }
    }

    /** Returns whether one of the options is there: as letters after one hyphen, or whole. */
    private static boolean has(List<Word> arguments, String letters, String... options) {
        return arguments.stream()
                .map(Word::text)
                .takeWhile(text -> !text.equals("--"))
                .anyMatch(text -> !letters.isEmpty() && text.matches("-(?:" + letters + ")")
                        || List.of(options).contains(text)
                        || List.of(options).stream()
                                .anyMatch(option -> option.startsWith("--") && text.startsWith(option + "=")));
    }

    private static List<Word> operands(List<Word> arguments, Set<String> valued) {
        return operands(arguments, valued, false);
    }

    /** @param isPlain whether no option has a value */
    private static List<Word> operands(List<Word> arguments, Set<String> valued, boolean isPlain) {
        var operands = new ArrayList<Word>();
        var onlyOperands = false;
        for (var i = 0; i < arguments.size(); i++) {
            var word = arguments.get(i);
            if (onlyOperands || !word.isOption()) {
                operands.add(word);
            } else if (word.text().equals("--")) {
                onlyOperands = true;
            } else if (!isPlain && valued.contains(word.text())) {
                i++;
            }
        }
        return operands;
    }

    /** Returns the values of an option: after it, after its equals sign, or in the same word. */
    private static List<Word> after(List<Word> arguments, String letter, String option) {
        var values = new ArrayList<Word>();
        for (var i = 0; i < arguments.size(); i++) {
            var word = arguments.get(i);
            var isLast = word.text().matches("-[A-Za-z]*" + letter.charAt(1));
            if ((isLast || word.text().equals(option)) && i + 1 < arguments.size()) {
                values.add(arguments.get(++i));
            } else if (word.text().startsWith(option + "=")) {
                values.add(word.from(option.length() + 1));
            } else if (word.text().startsWith(letter)
                    && word.text().length() > 2
                    && !word.text().startsWith("--")) {
                values.add(word.from(2));
            }
        }
        return values;
    }
}
