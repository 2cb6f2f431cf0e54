package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.SkillView.SkillEntry;
import io.agentworkspace.engine.hubs.markdown.Markdown;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The hub of skills: the list, a page for each, and one for each of its files. The content of custom skills may come
 * from anyone.
 */
final class SkillPages {
    static final String ROOT = "/skills-hub";

    private static final String FILES = "/files/";
    private static final String RAW = "/raw/";
    private static final String MAIN = "SKILL.md";

    /** The most characters of a text that a page shows. The rest is only in the download. */
    private static final int MAX_SHOWN = 256 * 1024;

    private final Skills skills;
    private final Templates templates;

    SkillPages(ToolRunner runner, Templates templates) {
        this.skills = new Skills(runner);
        this.templates = templates;
    }

    Optional<PageResponse> find(PageRequest request) {
        if (request.path().equals(ROOT)) {
            return Optional.of(list(request));
        }
        var rest = request.after(ROOT + "/");
        if (rest == null) {
            return Optional.empty();
        }
        var end = rest.indexOf('/');
        var name = end < 0 ? rest : rest.substring(0, end);
        var below = end < 0 ? "" : SkillLinks.decoded(rest.substring(end));
        return below.isEmpty()
                ? skills.read(name, request).map(result -> skill(result, request))
                : below.startsWith(FILES)
                        ? skills.file(name, below.substring(FILES.length()), request)
                                .map(file -> file(name, file, request))
                        : below.startsWith(RAW)
                                ? skills.file(name, below.substring(RAW.length()), request)
                                        .map(SkillPages::raw)
                                : Optional.empty();
    }

    private record SkillGroup(
            List<SkillEntry> skills,
            String count,
            boolean signedIn,
            boolean hasOwn,
            @Nullable String note,
            @Nullable String addObstacle) {}

    private PageResponse list(PageRequest request) {
        var result = skills.list(request);
        var entries = result.response()
                .path("skills")
                .valueStream()
                .map(SkillEntry::of)
                .toList();
        var listed = new SkillGroup(
                entries,
                entries.size() == 1 ? "1 skill" : "%d skills".formatted(entries.size()),
                request.caller() != null,
                entries.stream().anyMatch(SkillEntry::own),
                result.note(),
                skills.obstacle("SK_Add", request));
        var frame = new Templates.Frame(
                "Skills",
                "Skills that teach an agent to use the workspace, and those of your own.",
                "skills",
                "skills");
        return PageResponse.html(templates.page("skills", listed, frame, request));
    }

    private PageResponse skill(Skills.Result result, PageRequest request) {
        var skill = result.response();
        var entry = SkillEntry.of(skill.get("skill"));
        var files = skill.path("files").valueStream().toList();
        var body = skill.path("body").asString("");
        var html = Markdown.anybodys(new SkillLinks(entry.name(), MAIN, files)::address)
                .render(body)
                .html();
        var signedIn = request.caller() != null;
        var view = new SkillView(
                entry,
                html,
                SkillView.fields(skill.path("frontmatter")),
                files.stream()
                        .map(file -> SkillView.File.of(entry.name(), file))
                        .toList(),
                skill.path("tools")
                        .valueStream()
                        .map(tool -> SkillView.Used.of(
                                tool, skills.isTool(tool.get("name").asString())))
                        .toList(),
                skill.path("agents").valueStream().map(JsonNode::asString).toList(),
                new SkillView.Visitor(
                        signedIn,
                        result.note(),
                        skills.obstacle("SK_Install", request),
                        skills.obstacle("SK_Remove", request)));
        var frame = new Templates.Frame(entry.name(), entry.description(), "skills", "skills");
        return PageResponse.html(templates.page("skill", view, frame, request));
    }

    /**
     * @param html the rendered Markdown; null for other texts, which are shown as they are, and for files that
     *     are not text
     */
    private record SkillPage(
            String skill,
            SkillView.File file,
            @Nullable String html,
            @Nullable String text,
            boolean binary,
            boolean cut) {}

    private PageResponse file(String skill, JsonNode file, PageRequest request) {
        var view = SkillView.File.of(skill, file);
        var text = file.path("text").asStringOpt().orElse(null);
        var isMarkdown = view.kind().equals("text/markdown") && !view.path().equals(MAIN);
        var html = text != null && isMarkdown ? rendered(skill, view.path(), text, request) : null;
        var begin = text == null ? null : Excerpt.cut(text, MAX_SHOWN);
        var page = new SkillPage(skill, view, html, begin, text == null, !Objects.equals(begin, text));
        var frame = new Templates.Frame(
                view.path() + " · " + skill, "A file of the skill %s.".formatted(skill), "skills", "skills");
        return PageResponse.html(templates.page("skill-file", page, frame, request));
    }

    private String rendered(String skill, String path, String text, PageRequest request) {
        var files = skills.read(skill, request)
                .map(result -> result.response().path("files").valueStream().toList())
                .orElse(List.of());
        return Markdown.anybodys(new SkillLinks(skill, path, files)::address)
                .render(text)
                .html();
    }

    /** Returns the file's bytes with a generic media type, so that browsers save it and do not interpret it. */
    private static PageResponse raw(JsonNode file) {
        var text = file.path("text").asStringOpt();
        var bytes = text.isPresent()
                ? text.get().getBytes(StandardCharsets.UTF_8)
                : Base64.getDecoder().decode(file.path("base64").asString());
        return new PageResponse(200, "application/octet-stream", bytes, null, false);
    }
}
