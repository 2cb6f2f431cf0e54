package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillCard;
import io.agentworkspace.engine.skills.SkillFile;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tools that read skills: SK_List, SK_Read. Everyone may read the built-in ones, even without a credential. */
final class SkillTools {
    private static final String LIST = "SK_List";

    static final String NAME = "The skill's name, as SK_List shows it.";

    private final Library library;
    private final SkillQueries reads;
    private final List<Tool<?, ?>> all;

    /** @param all all tools; may be filled later */
    public SkillTools(Library library, SkillQueries reads, List<Tool<?, ?>> all) {
        this.library = library;
        this.reads = reads;
        this.all = all;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), read());
    }

    record ListRequest(
            @Doc("Which part of a long list.") @Nullable Page page) {}

    record ListResponse(
            @Doc("The shipped skills, in the recommended order of reading; then your tenant's own, by name.")
            List<SkillRecord> skills,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named(LIST)
                .title("List skills")
                .description("Lists the skills that teach agents how to do something. Next: SK_Read, SK_Install.")
                .details("""
                        The shipped skills, and those that your tenant has added. For each: when to use it, which tools it uses, and the digest of its archive.""")
                .alsoCalled(
                        "instructions",
                        "guides",
                        "playbooks",
                        "what can agents learn",
                        "how-tos",
                        "capabilities to install")
                .needs(Capability.SKILL_READ)
                .route("GET", "/api/skills")
                .handledBy(
                        ListRequest.class,
                        ListResponse.class,
                        (in, call) -> page(reads.list(call), in.page(), call.budget()))
                .openTo(in -> page(List.of(), in.page(), ResponseBudget.once().forCall()));
    }

    private ListResponse page(List<OwnSkill> own, @Nullable Page page, ResponseBudget budget) {
        var skills = Stream.concat(
                        Library.shipped().stream().map(card -> SkillRecord.shipped(card, all)),
                        Library.visible(own).stream().map(skill -> SkillRecord.own(skill, all)))
                .toList();
        var after = Cursor.readName(LIST, page);
        var from = after.isEmpty() ? 0 : next(skills, after);
        var rows = budget.fit(skills.subList(from, Math.min(skills.size(), from + Page.limit(page))));
        var to = from + rows.size();
        return new ListResponse(
                rows,
                to == skills.size()
                        ? null
                        : Cursor.ofName(LIST, skills.get(to - 1).name()));
    }

    /** Returns the position after this skill, or where it would be if it was removed in the meantime. */
    private static int next(List<SkillRecord> skills, String after) {
        for (var i = 0; i < skills.size(); i++) {
            if (skills.get(i).name().equals(after)) {
                return i + 1;
            }
        }
        var shipped = Library.shipped().size();
        return shipped
                + (int) skills.stream()
                        .skip(shipped)
                        .filter(skill -> skill.name().compareTo(after) < 0)
                        .count();
    }

    record ReadRequest(
            @Doc(value = NAME, max = 64) String name,

            @Doc(
                    value = "The path of a file to return instead of the instructions, e.g. references/guide.md.",
                    max = 255)
            @Nullable
            String path,

            @Doc("true for the whole skill as a zip, instead of the instructions.") @Nullable
            Boolean archive) {}

    private Tool<ReadRequest, SkillContent> read() {
        return Tool.named("SK_Read")
                .title("Read a skill")
                .description("""
                        Reads a skill: instructions, files, tools, and the agents that have it. path: one file; \
                        archive: the zip.""")
                .details("""
                        It also shows the frontmatter and whether you may call the tools. Over MCP the files are \
                        resources, too: skill://<name>/<path>.""")
                .alsoCalled(
                        "show a guide",
                        "read how to do a task",
                        "text of a skill",
                        "steps of a procedure",
                        "open a playbook",
                        "read the guide",
                        "download a skill",
                        "how do i do it")
                .needs(Capability.SKILL_READ)
                .route("GET", "/api/skills/{name}")
                .handledBy(ReadRequest.class, SkillContent.class, this::read)
                .openTo(this::readShipped);
    }

    private SkillContent read(ReadRequest in, Call call) {
        var path = path(in);
        var found = reads.read(call, in.name(), path);
        var own = found.own();
        var opened = shipped(in.name())
                .or(() -> Optional.ofNullable(own)
                        .map(skill -> new Opened(SkillRecord.own(skill, all), skill.card(), found.files())))
                .orElseThrow(() -> library.missing(call.caller(), in.name()));
        return fitted(content(in, opened, call.caller(), found.agents()), call.budget());
    }

    private SkillContent readShipped(ReadRequest in) {
        path(in);
        var opened = shipped(in.name()).orElseThrow(() -> library.missing(null, in.name()));
        return fitted(content(in, opened, null, null), ResponseBudget.once().forCall());
    }

    private static SkillContent fitted(SkillContent content, ResponseBudget budget) {
        var fitting = budget.fitted(content, budget.left());
        if (budget.cost(fitting) > budget.left()) {
            throw new Problem(
                    Failure.TOO_LARGE,
                    "this is more than one answer may carry; download the whole skill as a zip: GET /api/skills/%s/archive"
                            .formatted(content.skill().name()));
        }
        return fitting;
    }

    /** A skill, with at least the requested files. */
    private record Opened(SkillRecord record, SkillCard card, List<SkillFile> files) {}

    private Optional<Opened> shipped(String name) {
        return Library.shipped(name).map(skill -> {
            var card = Library.shippedCard(name).orElseThrow();
            return new Opened(SkillRecord.shipped(card, all), card, skill.files());
        });
    }

    private SkillContent content(
            ReadRequest in, Opened opened, @Nullable Caller caller, @Nullable List<String> agents) {
        if (Boolean.TRUE.equals(in.archive())) {
            return SkillContent.archive(opened.record(), Skill.stored(opened.files()));
        } else if (in.path() != null) {
            return SkillContent.file(opened.record(), one(opened, in.path()));
        }
        var body = Skill.stored(List.of(one(opened, Skill.MAIN))).body();
        return SkillContent.instructions(opened.record(), opened.card(), body, caller, agents, all);
    }

    /** Returns the path of the file to read for the response; null for all of them. */
    private static @Nullable String path(ReadRequest in) {
        if (!Boolean.TRUE.equals(in.archive())) {
            return in.path() == null ? Skill.MAIN : in.path();
        } else if (in.path() != null) {
            throw Problem.invalid("path", "cannot be combined with archive: the archive has all files");
        }
        return null;
    }

    private static SkillFile one(Opened opened, String path) {
        return opened.files().stream()
                .filter(file -> file.path().equals(path))
                .findFirst()
                .orElseThrow(() -> {
                    var paths = opened.card().files().stream()
                            .map(SkillCard.FileEntry::path)
                            .toList();
                    return Problem.notFound("file", Name.shortened(path), Near.nearest(path, paths, 2));
                });
    }
}
