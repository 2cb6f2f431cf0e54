package io.agentworkspace.engine.workspace.delivery.edits;

import static io.agentworkspace.engine.workspace.delivery.edits.Options.after;
import static io.agentworkspace.engine.workspace.delivery.edits.Options.has;
import static io.agentworkspace.engine.workspace.delivery.edits.Options.operands;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.workspace.delivery.edits.ShellCommand.Word;
import io.agentworkspace.engine.workspace.reservations.EditedPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a command of a shell writes, as far as its text shows. What the programs do that it starts, such as a build, is not known:
 * they count as readers, unless an option tells them to change files in place.
 */
final class ShellWrites implements ShellParser.Listener {
    private static final int MAX_DEPTH = 5;

    /** Programs that run the command after them. Each is followed by those of its options that have a value. */
    private static final Map<String, Set<String>> PREFIXES = Stream.of(
                    "sudo -u -g -h -p -C -D -R -T -U --user --group",
                    "doas -u -C",
                    "env -u --unset",
                    "timeout -s --signal -k --kill-after",
                    "exec -a",
                    "time -f -o",
                    "stdbuf -i -o -e",
                    "npx -p --package",
                    "bunx, uvx, nohup, nice, ionice, command, builtin, setsid, busybox")
            .flatMap(line -> Stream.of(line.split(", ")))
            .map(line -> List.of(line.split(" ")))
            .collect(Collectors.toMap(List::getFirst, Set::copyOf));

    private static final Set<String> SHELLS = Set.of("sh", "bash", "zsh", "dash", "ksh", "ash", "su");
    private static final Set<String> REMOVES = Set.of("rm", "unlink", "shred", "touch", "truncate", "sponge");
    private static final Set<String> PACKERS = Set.of("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd");
    private static final Set<String> FORMATTERS = Set.of(
            "gofmt goimports shfmt clang-format yapf autopep8 google-java-format yq prettier swiftformat".split(" "));
    private static final Set<String> ALWAYS_FORMAT = Set.of("black", "isort", "rustfmt");
    private static final Set<String> EDITORS = Set.of("vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "pico");
    private static final Pattern INTERPRETER = Pattern.compile("(?:python|node|deno|bun|ruby|perl|php|lua)[0-9.]*");
    private static final Set<String> CODE = Set.of("-c", "-e", "-r", "--eval", "-p", "-pe", "-ne", "eval");
    /** The letters of Perl's and Ruby's options that have no value, and the one that changes files in place. */
    private static final Pattern IN_PLACE_LETTERS = Pattern.compile("-[acflnpstuwWXSU0-9]*i");

    private static final Set<String> IN_PLACE =
            Set.of("--write", "--fix", "--in-place", "--inplace", "--in_place", "--apply");
    private static final Set<String> ONLY_CHECKS =
            Set.of("--check", "-check", "--check-only", "--diff", "-diff", "--dry-run", "-n", "-c");

    /** Where a program of awk or sed names a file that it writes. */
    private static final Pattern WRITTEN =
            Pattern.compile(">\\s*\"([^\"]+)\"|(?:^|[\\s;{/pgI0-9])w\\s+([^\\s;}]+)\\s*(?:$|[\\n}])");

    private static final Pattern BETWEEN_PATHS = Pattern.compile("[\\s\"'`(){}<>|;&=,:]+");

    /** What a word names: a file, or a folder with all that is in it. */
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

    /** To which {@code cd -} returns. */
    private String former = "";

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
        var words = command.words();
        var at = 0;
        while (at < words.size() && PREFIXES.containsKey(name(words.get(at)))) {
            var prefix = name(words.get(at++));
            while (at < words.size() && isPrefixArgument(prefix, words.get(at).text())) {
                var option = words.get(at++).text();
                at += PREFIXES.getOrDefault(prefix, Set.of()).contains(option) ? 1 : 0;
            }
        }
        if (at < words.size()) {
            run(
                    name(words.get(at)),
                    words.subList(at + 1, words.size()),
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
        } else if (INTERPRETER.matcher(name).matches()
                && arguments.size() > 1
                && arguments.getFirst().text().equals("-m")) {
            run(name(arguments.get(1)), arguments.subList(2, arguments.size()), input);
        } else if (PACKERS.contains(name)) {
            if (!has(arguments, "[a-zA-Z0-9]*[clt][a-zA-Z0-9]*", "--stdout", "--to-stdout", "--list", "--test")) {
                add(operands);
            }
        } else if (REMOVES.contains(name)) {
            var isTree = has(arguments, "[a-zA-Z]*[rR][a-zA-Z]*", "--recursive");
            operands(arguments, Set.of("-s", "-r", "-t", "-d", "--size", "--reference", "--date"), name.equals("rm"))
                    .forEach(file -> add(file, isTree && name.equals("rm") ? Extent.TREE : Extent.FILE, true));
        } else {
            switch (name) {
                case "cd", "pushd" -> enter(operands);
                case "popd" -> folder = "";
                case "mv", "cp", "install", "ln", "rsync", "scp", "link" -> copy(name, arguments);
                case "tee" -> add(operands);
                case "dd" ->
                    arguments.stream()
                            .filter(word -> word.text().startsWith("of="))
                            .forEach(word -> add(word.from(3), Extent.FILE, true));
                case "sed", "gsed" -> {
                    script(arguments, "[nEruszl]*i.*", Set.of("-e", "-f", "--expression", "--file"), "--in-place");
                    named(arguments);
                }
                case "perl", "ruby" -> perl(arguments, input);
                case "awk", "gawk", "mawk" -> {
                    named(arguments);
                    if (arguments.stream().anyMatch(word -> word.text().contains("inplace"))) {
                        add(operands(arguments, Set.of("-i", "-f", "-v", "-F", "--include")).stream()
                                .skip(1)
                                .toList());
                    }
                }
                case "sort" -> add(files(after(arguments, "-o", "--output")));
                case "curl" -> {
                    add(files(after(arguments, "-o", "--output")));
                    if (has(arguments, "[a-zA-Z]*O", "--remote-name", "--remote-name-all")) {
                        loaded(operands, after(arguments, "", "--output-dir"));
                    }
                }
                case "wget" -> {
                    var to = after(arguments, "-O", "--output-document");
                    add(files(to));
                    if (to.isEmpty() && !has(arguments, "", "--spider")) {
                        loaded(operands, after(arguments, "-P", "--directory-prefix"));
                    }
                }
                case "patch" -> patch(arguments);
                case "git" -> new GitWrites(this).run(arguments);
                case "find" -> find(arguments);
                case "fd", "fdfind" -> {
                    var run = afterFirst(arguments, "-[xX]|--exec|--exec-batch");
                    isOpen |= writes(run, run);
                }
                case "xargs", "parallel" ->
                    isOpen |= writes(operands(arguments, Set.of("-n", "-P", "-I", "-L", "-d", "-s")), arguments);
                case "tar", "bsdtar" -> {
                    if (has(arguments, "[A-Za-z]*x[A-Za-z]*", "--extract", "--get")
                            || !arguments.isEmpty()
                                    && arguments.getFirst().text().matches("[A-Za-wyz]*x[A-Za-z]*")) {
                        unpack(after(arguments, "-C", "--directory"));
                    }
                }
                case "unzip" -> {
                    if (!has(arguments, "[lptvZz]+")) {
                        unpack(after(arguments, "-d", "-d"));
                    }
                }
                case "cargo", "go", "dart", "terraform" ->
                    isOpen |= !operands.isEmpty()
                            && Set.of("fmt", "fix", "format")
                                    .contains(operands.getFirst().text())
                            && arguments.stream().noneMatch(word -> ONLY_CHECKS.contains(word.text()));
                default -> other(name, arguments, operands, input);
            }
        }
    }

    /** A program that changes files only if an option, or a program in its arguments, tells it to. */
    private void other(String name, List<Word> arguments, List<Word> operands, String input) {
        var formats = ALWAYS_FORMAT.contains(name)
                || name.equals("ruff")
                        && !operands.isEmpty()
                        && operands.getFirst().text().equals("format");
        var isFormatter = FORMATTERS.contains(name) && has(arguments, "[wiF]")
                || formats && arguments.stream().noneMatch(word -> ONLY_CHECKS.contains(word.text()))
                || arguments.stream().anyMatch(word -> IN_PLACE.contains(word.text()));
        if (isFormatter || EDITORS.contains(name)) {
            operands.forEach(file -> add(expanded(file), Extent.TREE, false));
            isOpen |= isFormatter
                    && operands.stream().noneMatch(word -> word.text().matches("(?s).*[./*].*"));
        } else if (INTERPRETER.matcher(name).matches()) {
            code(arguments, input);
        }
    }

    /** Formatters expand patterns themselves, which are in quotation marks for that. */
    private static Word expanded(Word word) {
        var isPattern = word.isPattern() || word.text().indexOf('*') >= 0;
        return isPattern && word.isKnown() ? new Word(word.text(), word.text(), true, true) : word;
    }

    /** The files that a program of awk or sed may write. */
    private void named(List<Word> arguments) {
        for (var word : arguments) {
            allowance.take(1 + word.text().length());
            WRITTEN.matcher(word.text())
                    .results()
                    .limit(EditedFiles.MOST)
                    .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
                    .forEach(path -> add(literal(path), Extent.FILE, false));
        }
    }

    /** Returns the words without <code>-</code>, the standard output. */
    private static List<Word> files(List<Word> outputs) {
        return outputs.stream().filter(word -> !word.text().equals("-")).toList();
    }

    /** A file from an address has the last name in the address. */
    private void loaded(List<Word> addresses, List<Word> folders) {
        var to = folders.isEmpty() ? "" : folders.getLast().text() + "/";
        addresses.forEach(address -> add(literal(to + name(address).replaceFirst("[?#].*", "")), Extent.FILE, true));
    }

    /** An archive may have any file. */
    private void unpack(List<Word> folders) {
        folders.forEach(to -> add(to, Extent.TREE, false));
        isOpen |= folders.isEmpty();
    }

    static Word literal(String path) {
        return new Word(path, EditedPath.literal(path), false, true);
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
                .forEach(path -> add(literal(path), Extent.TREE, false));
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
        // A shell without a command runs what another program prints.
        var isFed = texts.equals(List.of(""))
                && SHELLS.contains(name)
                && (has(arguments, "s")
                        || arguments.stream().allMatch(word -> word.text().matches("-[a-z]*")));
        if (depth == MAX_DEPTH || isFed) {
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

    /** Runs something in another folder. */
    void in(Word folder, Runnable command) {
        opened();
        enter(List.of(folder));
        command.run();
        closed();
    }

    private void enter(List<Word> operands) {
        var here = folder;
        var to = operands.isEmpty() ? variables.get("HOME") : operands.getFirst();
        if (to != null && to.text().equals("-")) {
            folder = former;
            former = here;
            return;
        }
        former = here;
        folder = to == null || !to.isKnown() || to.isPattern() || folder.isEmpty() && !ClientPath.isAbsolute(to.text())
                ? ""
                : ClientPath.resolved(folder, ClientPath.plain(to.text(), isWindows));
    }

    private void copy(String name, List<Word> arguments) {
        var folderOption = after(arguments, "-t", "--target-directory");
        var operands = new ArrayList<>(
                operands(arguments, Set.of("-t", "-m", "-o", "-g", "-S", "-e", "--exclude", "--include")));
        if (operands.isEmpty() || has(arguments, "[a-zA-Z]*n[a-zA-Z]*", "--dry-run") && name.equals("rsync")) {
            return;
        }
        var to = folderOption.isEmpty() ? operands.size() > 1 ? operands.removeLast() : null : folderOption.getFirst();
        if (name.equals("mv")) {
            operands.forEach(from -> add(from, Extent.TREE, true));
        }
        var mayBeRemote = name.equals("rsync") || name.equals("scp");
        if (to == null || mayBeRemote && to.text().matches("(?s)[^/\\\\]{2,}:.*")) {
            return;
        }
        var isTree = name.equals("rsync")
                || (name.equals("cp") || name.equals("scp"))
                        && has(arguments, "[a-zA-Z]*[raR][a-zA-Z]*", "--recursive", "--archive");
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
                        .anyMatch(each -> each.length() == 2
                                ? word.text().startsWith(each)
                                : word.text().equals(each) || word.text().startsWith(each + "=")));
        var files = operands(arguments, valued);
        add(hasScript ? files : files.stream().skip(1).toList());
    }

    private void perl(List<Word> arguments, String input) {
        var files = new ArrayList<Word>();
        var inPlace = false;
        for (var i = 0; i < arguments.size(); i++) {
            var word = arguments.get(i);
            if (word.text().matches("-[a-zA-Z0-9]*[eE]")) {
                i++; // The program.
            } else if (!word.isOption()) {
                files.add(word);
            }
            // After the first operand, options are those of the script.
            inPlace |= files.isEmpty() && IN_PLACE_LETTERS.matcher(word.text()).lookingAt();
        }
        if (inPlace) {
            add(files);
        } else {
            code(arguments, input);
        }
    }

    private void patch(List<Word> arguments) {
        if (has(arguments, "", "--dry-run")) {
            return;
        }
        var files = operands(arguments, Set.of("-i", "-d", "-o", "-p", "-r", "--input", "--directory", "--output"));
        if (files.isEmpty() && after(arguments, "-o", "--output").isEmpty()) {
            isOpen = true;
        }
        add(files.stream().limit(1).toList());
        add(after(arguments, "-o", "--output"));
    }

    private void find(List<Word> arguments) {
        var places = arguments.stream()
                .takeWhile(word -> !word.text().matches("[-(!].*"))
                .toList();
        var run = afterFirst(arguments, "-(exec|ok)(dir)?");
        if (has(arguments, "", "-delete") || writes(run, run)) {
            places.forEach(place -> add(place, Extent.TREE, false));
            isOpen |= places.isEmpty();
        }
    }

    private static List<Word> afterFirst(List<Word> arguments, String option) {
        return arguments.stream()
                .dropWhile(word -> !word.text().matches(option))
                .skip(1)
                .toList();
    }

    /** Returns whether a command, to which files are added, writes these. */
    private boolean writes(List<Word> command, List<Word> arguments) {
        var begin = command.isEmpty() ? arguments.size() : arguments.indexOf(command.getFirst());
        if (begin >= arguments.size()) {
            return false;
        }
        var words = new ArrayList<>(arguments.subList(begin, arguments.size()));
        words.add(literal("x"));
        words.add(literal("y"));
        var trial = new ShellWrites("", isWindows, variables, allowance, Math.min(MAX_DEPTH, depth + 1));
        if (depth < MAX_DEPTH) {
            trial.command(new ShellCommand(words, List.of(), new StringBuilder()));
        }
        return depth == MAX_DEPTH || trial.isOpen || !trial.writes.isEmpty();
    }

    /** It may write any file. */
    void open() {
        isOpen = true;
    }

    private void add(List<Word> files) {
        files.forEach(file -> add(file, Extent.FILE, true));
    }

    void add(Word word, Extent extent, boolean isCertain) {
        allowance.take();
        var isNoFile = word.text().isEmpty() || word.text().equals("-");
        if (isNoFile && word.isKnown() || word.text().startsWith("/dev/")) {
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
}
