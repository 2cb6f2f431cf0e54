package io.agentworkspace.engine.prose;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.Tools;
import io.agentworkspace.engine.model.refusal.ToolRefusal;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the rules of language over everything that people and models read. */
class ProseTest {
    /** Made from the tools' texts. */
    private static final Set<String> OTHERS = Set.of("commands.md");

    /** A literal that is a sentence or a part of one: words, with spaces between them. */
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

    private static final Pattern TEXT_BLOCK = Pattern.compile("(?s)\"\"\"\\R(.*?)\"\"\"");

    /** A text block that is a statement or a program. */
    private static final Pattern CODE =
            Pattern.compile("\\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|VALUES|JOIN|jsonb_\\w+)\\b|[;{]\\s*\\R");

    private static final Pattern COMMENT = Pattern.compile("(?sm)^\\s*/\\*\\*(.*?)\\*/");

    /** What a script prints; its strings may go on over several lines. */
    private static final Pattern PRINTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** The same conjunction twice in a paragraph, an item of a list or a row of a table. */
    private static final Pattern SO_THAT_TWICE =
            Pattern.compile("(?s)\\bso that\\b(?:(?!\\R\\s*(?:\\R|[-*|#\\d])).)*\\bso that\\b");

    private static final Pattern SCRIPT_TEXT = Pattern.compile("'((?:[^'\\\\\\n]|\\\\.)*)'");
    private static final Pattern WORDS = Pattern.compile("(?s)[\\p{L}'%]+[,:;]?( [\\p{L}'%\\d]+[,:;.]?){3,}.*");

    private static final List<Tool<?, ?>> TOOLS = Tools.catalogue(
                    TestDatabase.db(), _ -> List.of(), TestDatabase.outbound(), TestDatabase.shared())
            .tools();

    private static Stream<Path> documents() {
        return Stream.of(
                        Stream.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "AGENTS.md")
                                .map(Repository::file),
                        Repository.files("docs", ".md").stream(),
                        Repository.files("skills/src/main/resources", ".md").stream())
                .flatMap(files -> files)
                .filter(file -> !OTHERS.contains(file.getFileName().toString()));
    }

    private static String name(Path file) {
        return Repository.ROOT.relativize(file).toString();
    }

    @Test
    void documentsAreReadOnce() {
        var faults = new ArrayList<String>();
        documents().forEach(file -> {
            var text = Repository.text(file);
            SO_THAT_TWICE
                    .matcher(text)
                    .results()
                    .forEach(found -> faults.add(name(file) + ": write \"so that\" once: " + found.group()));
            var sentences = Prose.ofMarkdown(text);
            var isDecision = name(file).startsWith("docs/decisions/");
            var most = isDecision ? ProseRules.MOST_WORDS_OF_SPECIALISTS : ProseRules.MOST_WORDS;
            var mostPassive = isDecision ? ProseRules.MOST_PASSIVE_OF_SPECIALISTS : ProseRules.MOST_PASSIVE;
            sentences.forEach(sentence ->
                    ProseRules.fault(sentence, most).ifPresent(fault -> faults.add(name(file) + ": " + fault)));
            ProseRules.passive(sentences, mostPassive).ifPresent(fault -> faults.add(name(file) + ": " + fault));
        });
        assertThat(faults).isEmpty();
    }

    private static Stream<String> texts(Tool<?, ?> tool) {
        return Stream.of(
                        Stream.of(tool.title(), tool.fullDescription()),
                        Field.of(tool.inputSchema().json()).stream().map(Field::sentence),
                        Field.of(tool.outputSchema()).stream().map(Field::sentence))
                .flatMap(each -> each);
    }

    @Test
    void modelsAreToldInShortSentences() {
        var all = TOOLS.stream()
                .flatMap(ProseTest::texts)
                .distinct()
                .flatMap(Prose::ofText)
                .toList();
        assertThat(all).hasSizeGreaterThan(500);
        assertThat(faults(all)).isEmpty();
        assertThat(ProseRules.passive(all, ProseRules.MOST_PASSIVE)).isEmpty();
    }

    @Test
    void refusalsAreShort() {
        var all = TOOLS.stream()
                .flatMap(tool -> ToolRefusal.of(tool).stream())
                .flatMap(refusal -> Stream.of(refusal.when(), refusal.remedy()))
                .distinct()
                .flatMap(Prose::ofText)
                .toList();
        assertThat(all).hasSizeGreaterThan(20);
        assertThat(faults(all)).isEmpty();
    }

    /** Notes, log lines and settings are literals of the sources; those of pages are in templates and scripts. */
    @Test
    void whatProgramsWriteIsPlain() {
        var faults = new ArrayList<String>();
        Repository.sources().stream()
                .filter(file -> file.toString().contains("/src/main/"))
                .forEach(file -> {
                    faults.addAll(inCode(file, LITERAL));
                    faults.addAll(inCode(file, TEXT_BLOCK));
                });
        Stream.of("examples", "benchmarks")
                .flatMap(folder -> Repository.files(folder, ".java").stream())
                .forEach(file -> faults.addAll(inCode(file, LITERAL)));
        Stream.of("engine", ".ci/run").map(Repository::file).forEach(file -> faults.addAll(inCode(file, PRINTED)));
        Repository.files("hubs-web/src/main/resources/hubs/assets", ".js")
                .forEach(file -> faults.addAll(inCode(file, SCRIPT_TEXT)));
        Repository.files("hubs-web/src/main/resources/hubs/templates", ".html").forEach(file -> {
            var text = Repository.text(file)
                    .replaceAll("<code>.*?</code>", "X")
                    .replaceAll("(?s)</?(p|li|h\\d|td|th|dt|dd|summary|button|label|a class=\"button).*?>", "\n\n");
            Prose.ofMarkdown(text.replaceAll("<[^>]*>", " ").replaceAll("\\{\\{[^}]*}}", "X"))
                    .forEach(sentence ->
                            ProseRules.fault(sentence).ifPresent(fault -> faults.add(name(file) + ": " + fault)));
        });
        assertThat(faults).isEmpty();
    }

    /** Comments are for those who know the code, and may be as long as decisions. */
    @Test
    void commentsArePlain() {
        var faults = new ArrayList<String>();
        Repository.sources()
                .forEach(file -> COMMENT.matcher(Repository.text(file))
                        .results()
                        .map(found -> found.group(1)
                                .replaceAll("\\R\\s*\\*", " ")
                                .replaceAll("\\{@\\w+ [^}]*}|<[^>]*>", "CODE"))
                        .flatMap(text -> Stream.of(text.split("\\s@(?:param|return|throws)\\b")))
                        .flatMap(Prose::ofText)
                        .flatMap(sentence -> ProseRules.fault(sentence, ProseRules.MOST_WORDS_OF_SPECIALISTS).stream())
                        .map(fault -> name(file) + ": " + fault)
                        .forEach(faults::add));
        assertThat(faults).isEmpty();
    }

    private static List<String> inCode(Path file, Pattern literal) {
        return literal.matcher(Repository.text(file))
                .results()
                .map(found -> found.group(1))
                .filter(text -> !CODE.matcher(text).find())
                .map(text -> text.replaceAll("\\\\\\R\\s*", "").strip())
                .filter(text -> WORDS.matcher(text).matches())
                .flatMap(Prose::ofText)
                .flatMap(sentence -> ProseRules.fault(sentence).stream())
                .map(fault -> name(file) + ": " + fault)
                .toList();
    }

    private static List<String> faults(List<String> sentences) {
        return sentences.stream()
                .flatMap(sentence -> ProseRules.fault(sentence).stream())
                .toList();
    }

    /** The rules find what they are for. */
    @Test
    void theRulesFindWhatTheyAreFor() {
        assertThat(ProseRules.fault("The replica that starts last has the word."))
                .isPresent();
        assertThat(ProseRules.fault("Whose a key or a session is, is remembered."))
                .isPresent();
        assertThat(ProseRules.fault("word ".repeat(ProseRules.MOST_WORDS + 1))).isPresent();
        assertThat(ProseRules.fault("The replica that started last wins.")).isEmpty();
        assertThat(ProseRules.isPassive("The message is then delivered by a worker."))
                .isTrue();
        assertThat(ProseRules.isPassive("A worker delivers the message.")).isFalse();
        assertThat(Prose.ofMarkdown(
                        "# A title here\n\nOne thing. Two `a. B` things.\n\n| a cell | another one |\n- an item\n"))
                .containsExactly("A title here", "One thing", "Two CODE things.", "a cell", "another one", "an item");
    }
}
