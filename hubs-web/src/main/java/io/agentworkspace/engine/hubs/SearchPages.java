package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.search.Spelling;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The one search of the hubs, over tools, skills and documents. The page works without scripts; the search box of each page
 * shows the same as JSON.
 */
final class SearchPages {
    static final String PAGE = "/search";
    static final String JSON = "/search.json";

    private static final int TOOLS = 10;
    private static final int TOOLS_BESIDE = 5;
    private static final int SKILLS = 4;
    private static final int DOCS = 8;

    private final Catalogue catalogue;
    private final ToolFinder tools;
    private final Skills skills;
    private final DocPages docs;
    private final Templates templates;

    SearchPages(Catalogue catalogue, ToolFinder tools, Skills skills, DocPages docs, Templates templates) {
        this.catalogue = catalogue;
        this.tools = tools;
        this.skills = skills;
        this.docs = docs;
        this.templates = templates;
    }

    /** @param obstacle why the caller may not call it; null if it may, or if nobody is signed in */
    record FoundTool(
            String name,
            String title,
            String summary,
            String address,
            @Nullable String obstacle) {}

    record FoundSkill(String name, String title, String address) {}

    record SearchHits(List<FoundTool> tools, List<FoundSkill> skills, List<DocSearch.DocHit> docs) {
        public boolean isEmpty() {
            return tools.isEmpty() && skills.isEmpty() && docs.isEmpty();
        }

        public boolean hasTools() {
            return !tools.isEmpty();
        }

        public boolean hasSkills() {
            return !skills.isEmpty();
        }

        public boolean hasDocs() {
            return !docs.isEmpty();
        }
    }

    private record ResultPage(String query, boolean hasQuery, SearchHits found) {}

    Optional<PageResponse> find(PageRequest request) {
        return switch (request.path()) {
            case PAGE -> Optional.of(page(request));
            case JSON -> Optional.of(PageResponse.json(Json.bytes(found(request))));
            default -> Optional.empty();
        };
    }

    private PageResponse page(PageRequest request) {
        var query = value(request, "q");
        var frame = new Templates.Frame("Search", "Finds tools, skills and documents.", "", null);
        return PageResponse.html(
                templates.page("search", new ResultPage(query, !query.isEmpty(), found(request)), frame, request));
    }

    private SearchHits found(PageRequest request) {
        var query = value(request, "q");
        if (query.isEmpty()) {
            return new SearchHits(List.of(), List.of(), List.of());
        }
        if (value(request, "of").equals("tools")) {
            return new SearchHits(tools(query, TOOLS, request), List.of(), List.of());
        }
        return new SearchHits(
                tools(query, TOOLS_BESIDE, request),
                skills(query, request),
                docs.find(query).stream().limit(DOCS).toList());
    }

    private static String value(PageRequest request, String name) {
        var value = request.query().getOrDefault(name, List.of()).stream()
                .findFirst()
                .orElse("");
        return Excerpt.cut(value.strip(), DocSearch.MAX_QUERY);
    }

    /** Those that the caller may call before the others, otherwise as {@code find_tools} ranks them. */
    private List<FoundTool> tools(String query, int most, PageRequest request) {
        var caller = request.caller();
        var candidates = caller == null
                ? catalogue.tools()
                : Stream.concat(catalogue.tools().stream(), catalogue.installed(caller).stream())
                        .toList();
        return tools.find(query, candidates).stream()
                .map(tool -> found(tool, request))
                .sorted(Comparator.comparing(tool -> tool.obstacle() != null))
                .limit(most)
                .toList();
    }

    private static FoundTool found(Tool<?, ?> tool, PageRequest request) {
        var caller = request.caller();
        return new FoundTool(
                tool.name(),
                tool.title(),
                ToolList.summary(tool.description()),
                ToolPages.TOOL + tool.name(),
                caller == null ? null : caller.obstacle(tool).orElse(null));
    }

    private record SkillWords(FoundSkill skill, String text) {}

    /** Skills that have all of the words. */
    private List<FoundSkill> skills(String query, PageRequest request) {
        var words = skills.list(request)
                .response()
                .path("skills")
                .valueStream()
                .map(SkillView.SkillEntry::of)
                .map(entry -> new SkillWords(
                        new FoundSkill(entry.name(), entry.title(), SkillPages.ROOT + "/" + entry.name()),
                        " " + lower(entry.name() + " " + entry.title() + " " + entry.description())))
                .toList();
        var vocabulary = vocabulary(words);
        var terms = split(query)
                .map(word -> vocabulary.containsKey(word)
                        ? word
                        : Spelling.nearest(word, vocabulary).orElse(word))
                .toList();
        return words.stream()
                .filter(skill -> terms.stream().allMatch(word -> skill.text().contains(" " + word)))
                .map(SkillWords::skill)
                .limit(SKILLS)
                .toList();
    }

    private static Map<String, Integer> vocabulary(List<SkillWords> skills) {
        return skills.stream()
                .flatMap(words -> split(words.text()))
                .collect(Collectors.toMap(word -> word, _ -> 1, Integer::sum, HashMap::new));
    }

    private static Stream<String> split(String text) {
        return Arrays.stream(lower(text).split("[\\s-]+")).filter(word -> !word.isEmpty());
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]+", " ").strip();
    }
}
