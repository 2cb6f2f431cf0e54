package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.rest.openapi.CommandsDocument;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The written documents: every link has a target, and every table that repeats the code agrees with it. */
class DocumentsTest {
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]*)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern ERROR =
            Pattern.compile("(?m)^\\| (\\d{4}) \\| (\\w+) \\| (\\d{3}) \\| (\\d{3}) \\| \\S");

    /** A word in backticks that looks like a class, with its package and member, if it has them. */
    private static final Pattern CLASS = Pattern.compile(
            "`(?:([a-z][\\w.]*)[/.])?([A-Z]\\w*[a-z]\\w*)(?:<[^`>]*>)?(?:\\.(?!java`)([a-z]\\w*))?(?:\\(\\))?`");

    /** Where the pages of GitHub about a repository are that shows the README, whatever its name. */
    private static final String GITHUB = "../../actions/";

    private static final Set<String> NOT_OURS = Set.of("LinkedHashMap", "Clock", "Optional", "Map");
    private static final Set<String> NO_NAMES = Set.of("Impl", "Manager", "Helper", "Util", "Service", "Abstract");
    private static final Set<String> SUFFIXES = Set.of("Store", "Queries", "Tools", "Access", "Renderer");

    private static List<Path> documents() {
        var documents = new ArrayList<>(Repository.files("docs", ".md"));
        for (var name : List.of(
                "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "AGENTS.md", "ARCHITECTURE.md", "SECURITY.md")) {
            documents.add(Repository.file(name));
        }
        return documents;
    }

    @Test
    void everyLinkLeadsSomewhere() {
        assertThat(documents().stream()
                        .flatMap(document -> links(document)
                                .filter(link -> !leadsSomewhere(document, link))
                                .map(link -> Repository.ROOT.relativize(document) + " → " + link)))
                .isEmpty();
    }

    private static Stream<String> links(Path document) {
        return LINK.matcher(prose(document))
                .results()
                .map(found -> found.group(1))
                .filter(link -> !link.contains("://") && !link.startsWith(GITHUB));
    }

    private static boolean leadsSomewhere(Path document, String link) {
        var parts = link.split("#", 2);
        var target = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
        return Files.exists(target) && (parts.length == 1 || headings(target).contains(parts[1]));
    }

    /** Returns what the document says outside of its samples. Each command is in that of the commands, as the engine serves it. */
    private static String prose(Path document) {
        var generated = document.endsWith("docs/commands.md") ? CommandsDocument.render(TestDatabase.catalogue()) : "";
        return FENCE.matcher(Repository.text(document) + generated).replaceAll("");
    }

    /** Returns the headings as links spell them: in lower case, without punctuation, with hyphens for spaces. */
    private static List<String> headings(Path document) {
        return HEADING.matcher(prose(document))
                .results()
                .map(found -> found.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w -]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void everyPackageSaysWhatItContains() {
        assertThat(Stream.of("mcp-server", "rest-facade", "hubs-web", "skills", "shared-model", "examples")
                        .flatMap(module -> Repository.files(module + "/src/main/java", "package-info.java").stream()))
                .hasSizeGreaterThan(100)
                .allSatisfy(file -> assertThat(Repository.text(file)).containsPattern("\\A/\\*\\*[\\s*]*[\\w{]"));
    }

    /** Checks every class that the house and the page for agents name, and every test that the other documents name. */
    @Test
    void everyClassThatIsNamedExists() {
        var sources = Repository.sources().stream()
                .collect(Collectors.groupingBy(
                        file -> file.getFileName().toString().replace(".java", "")));
        assertThat(documents().stream()
                        .flatMap(document -> CLASS.matcher(Repository.text(document))
                                .results()
                                .filter(named -> isMeant(document, named.group(2)))
                                .filter(named -> sources.getOrDefault(named.group(2), List.of()).stream()
                                        .noneMatch(source -> has(source, named)))
                                .map(named -> Repository.ROOT.relativize(document) + " → " + named.group())))
                .isEmpty();
    }

    private static boolean isMeant(Path document, String name) {
        var isAboutCode = Stream.of("house.md", "adding-a-tool.md", "testing.md", "AGENTS.md")
                .anyMatch(document::endsWith);
        return name.endsWith("Test")
                || isAboutCode && Stream.of(NOT_OURS, NO_NAMES, SUFFIXES).noneMatch(words -> words.contains(name));
    }

    private static boolean has(Path source, MatchResult named) {
        var folder = named.group(1) == null ? "/" : "/" + named.group(1).replace('.', '/') + "/";
        var member = named.group(3);
        return (source.getParent() + "/").endsWith(folder)
                && (member == null || Repository.text(source).contains(" " + member + "("));
    }

    @Test
    void theTableOfSettingsIsTheSettings() {
        var rows = Settings.ALL.stream()
                .map(setting -> "| `%s` | `%s` | %s | %s |\n"
                        .formatted(setting.name(), setting.flag(), code(setting.fallback()), setting.words()))
                .collect(Collectors.joining());
        Golden.checkPart(
                Repository.file("docs/operations.md"),
                "settings",
                "| environment | flag | default | meaning |\n|---|---|---|---|\n" + rows);
    }

    @Test
    void theTableOfPlansIsThePlans() {
        var heads = Arrays.stream(Scope.values())
                .map(scope -> " " + scope.word() + " |")
                .collect(Collectors.joining());
        var rows = Arrays.stream(Plan.values())
                .map(plan -> "| `%s` |".formatted(plan.word()) + limits(plan) + "\n")
                .collect(Collectors.joining());
        Golden.checkPart(
                Repository.file("docs/limits.md"),
                "plans",
                "| plan |" + heads + "\n|---|" + "---|".repeat(Scope.values().length) + "\n" + rows);
    }

    private static String limits(Plan plan) {
        return Arrays.stream(Scope.values())
                .map(plan::limit)
                .map(limit -> limit.isPresent() ? " %,d |".formatted(limit.getAsLong()) : " |")
                .collect(Collectors.joining());
    }

    private static String code(@Nullable String fallback) {
        return fallback == null || fallback.isEmpty() ? "" : "`" + fallback + "`";
    }

    @Test
    void theTableOfErrorsIsTheFailures() {
        var written = ERROR.matcher(Repository.text(Repository.file("docs/concepts.md")))
                .results()
                .map(DocumentsTest::row);
        var real = Arrays.stream(Failure.values())
                .map(failure -> "%d %s %d %d"
                        .formatted(failure.code(), failure.error(), failure.commandStatus(), failure.httpStatus()));

        assertThat(written).containsExactlyElementsOf(real.toList());
    }

    private static String row(MatchResult row) {
        return "%s %s %s %s".formatted(row.group(1), row.group(2), row.group(3), row.group(4));
    }
}
