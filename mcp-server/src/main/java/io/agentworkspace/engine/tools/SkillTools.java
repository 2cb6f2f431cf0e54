package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.library.Library;
import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Capability;
import io.agentworkspace.engine.model.Cursor;
import io.agentworkspace.engine.model.Doc;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Near;
import io.agentworkspace.engine.model.Page;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Tool;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillArchive;
import io.agentworkspace.engine.skills.SkillCard;
import io.agentworkspace.engine.skills.SkillFile;
import io.agentworkspace.engine.store.OwnSkill;
import io.agentworkspace.engine.store.SkillReads;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Skills to read: SK_List, SK_Read. Those that the service ships are for everybody, also without a credential. */
final class SkillTools {
    static final String NAME = "The skill's name, as SK_List shows it.";

    private final Library library;
    private final SkillReads reads;
    private final List<Tool<?, ?>> all;

    /** @param all every tool there is, once all are there */
    SkillTools(Library library, SkillReads reads, List<Tool<?, ?>> all) {
        this.library = library;
        this.reads = reads;
        this.all = all;
    }

    List<Tool<?, ?>> tools() {
        return List.of(list(), read());
    }

    record Look(@Doc("Which part of a long list.") @Nullable Page page) {}

    record Listed(
            @Doc("The shipped skills, in the order that they are best read in; then your tenant's own, by name.")
            List<SkillRecord> skills,

            @Doc("Where the next page begins; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<Look, Listed> list() {
        return Tool.named("SK_List")
                .title("List skills")
                .description("""
                        Lists the skills that teach an agent how to do something: those that come with the service, and those that your tenant \
                        has added. For each: when to use it, which tools it uses, and the digest of its archive. Next: SK_Read for its \
                        instructions, SK_Install to give it to an agent.""")
                .needs(Capability.SKILL_READ)
                .route("GET", "/api/skills")
                .handledBy(Look.class, Listed.class, (in, call) -> page(reads.list(call), in.page()))
                .openTo(in -> page(List.of(), in.page()));
    }

    private Listed page(List<OwnSkill> own, @Nullable Page page) {
        var skills = Stream.concat(
                        Library.shipped().stream().map(card -> SkillRecord.shipped(card, all)),
                        Library.visible(own).stream().map(skill -> SkillRecord.own(skill, all)))
                .toList();
        var after = Page.after(page, 1);
        var from = after.isEmpty() ? 0 : next(skills, after.getFirst());
        var to = Math.min(skills.size(), from + Page.limit(page));
        return new Listed(
                skills.subList(from, to),
                to == skills.size() ? null : Cursor.of(skills.get(to - 1).name()));
    }

    /** After this one, or where it would stand if it had not been removed meanwhile. */
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

    record OfSkill(
            @Doc(value = NAME, max = 64) String name,

            @Doc(value = "Of this file the content, e.g. references/guide.md, instead of the instructions.", max = 255)
            @Nullable
            String path,

            @Doc("true for the whole skill as a zip, instead of the instructions.") @Nullable
            Boolean archive) {}

    record Shown(
            @Doc("The skill.") SkillRecord skill,

            @Doc("What SKILL.md begins with, as JSON: every field that its author wrote.") @Nullable
            ObjectNode frontmatter,

            @Doc("The instructions: what follows in SKILL.md, in Markdown.") @Nullable
            String body,

            @Doc("All of its files, SKILL.md first.") @Nullable
            List<FileRecord> files,

            @Doc("The tools that it uses.") @Nullable List<UsedTool> tools,

            @Doc("The agents that it is installed on and that you may see, 200 at most.") @Nullable
            List<String> agents,

            @Doc("With path: that file.") @Nullable FileContent file,

            @Doc("With archive: the zip, in base64.") @Nullable
            String archive) {}

    record FileRecord(
            @Doc("Relative to the skill's folder.") String path,
            @Doc("What kind of file it is.") String mediaType,
            @Doc("In bytes.") int size,
            @Doc("SHA-256 of its content, as sha256:<hex>.") String digest) {}

    record FileContent(
            @Doc("Relative to the skill's folder.") String path,
            @Doc("What kind of file it is.") String mediaType,
            @Doc("In bytes.") int size,
            @Doc("SHA-256 of its content, as sha256:<hex>.") String digest,
            @Doc("The content, where it is text.") @Nullable String text,
            @Doc("The content, where it is not.") @Nullable String base64) {}

    record UsedTool(
            @Doc("The tool's name.") String name,

            @Doc("Whether your credential may call it; absent where it is no tool of this service.") @Nullable
            Boolean mayCall,

            @Doc("What stands against that, and who can change it.") @Nullable
            String note) {}

    private Tool<OfSkill, Shown> read() {
        return Tool.named("SK_Read")
                .title("Read a skill")
                .description("""
                        Reads a skill: its instructions in body, its frontmatter and files, the tools that it uses and whether you may call \
                        them, and the agents that it is installed on. With path just that file; with archive the whole skill as a zip. Over \
                        MCP the files are resources, too: skill://<name>/<path>.""")
                .needs(Capability.SKILL_READ)
                .route("GET", "/api/skills/{name}")
                .handledBy(OfSkill.class, Shown.class, this::read)
                .openTo(this::readShipped);
    }

    private Shown read(OfSkill in, Call call) {
        var path = wanted(in);
        var found = reads.read(call, in.name(), path);
        var shipped = Library.shipped(in.name());
        var own = found.own();
        if (shipped.isPresent()) {
            return shown(in, shipped.get(), call.caller(), found.agents());
        } else if (own == null) {
            throw library.missing(call.caller(), in.name());
        }
        var record = SkillRecord.own(own, all);
        if (path == null || path.equals(Skill.MAIN)) {
            var part = found.whole();
            return Boolean.TRUE.equals(in.archive())
                    ? archive(record, part)
                    : in.path() == null
                            ? instructions(record, own.card(), part.body(), call.caller(), found.agents())
                            : file(record, part.files().getFirst());
        }
        return file(record, one(own.card(), found.files(), path));
    }

    private Shown readShipped(OfSkill in) {
        wanted(in);
        var skill = Library.shipped(in.name()).orElseThrow(() -> library.missing(null, in.name()));
        return shown(in, skill, null, null);
    }

    private Shown shown(OfSkill in, Skill skill, @Nullable Caller caller, @Nullable List<String> agents) {
        var card = Library.shippedCard(skill.name()).orElseThrow();
        var record = SkillRecord.shipped(card, all);
        if (Boolean.TRUE.equals(in.archive())) {
            return archive(record, skill);
        }
        return in.path() == null
                ? instructions(record, card, skill.body(), caller, agents)
                : file(record, one(card, skill.files(), in.path()));
    }

    /** The file that has to be read for the answer; null for all of them. */
    private static @Nullable String wanted(OfSkill in) {
        if (!Boolean.TRUE.equals(in.archive())) {
            return in.path() == null ? Skill.MAIN : in.path();
        } else if (in.path() != null) {
            throw Problem.invalid("path", "must be left out where archive is true: that has all files");
        }
        return null;
    }

    private static SkillFile one(SkillCard card, List<SkillFile> files, String path) {
        return files.stream()
                .filter(file -> file.path().equals(path))
                .findFirst()
                .orElseThrow(() -> {
                    var known = card.files().stream().map(SkillCard.Entry::path).toList();
                    return Problem.notFound("file", Name.shortened(path), Near.nearest(path, known, 2));
                });
    }

    private Shown instructions(
            SkillRecord record, SkillCard card, String body, @Nullable Caller caller, @Nullable List<String> agents) {
        var files = card.files().stream()
                .map(file -> new FileRecord(file.path(), file.mediaType(), file.size(), file.digest()))
                .toList();
        var tools = record.tools().stream().map(name -> used(name, caller)).toList();
        return new Shown(record, card.frontmatter(), body, files, tools, agents, null, null);
    }

    private UsedTool used(String name, @Nullable Caller caller) {
        var tool = all.stream().filter(one -> one.name().equals(name)).findFirst();
        if (tool.isEmpty() || caller == null) {
            return new UsedTool(name, null, null);
        }
        var obstacle = caller.obstacle(tool.get());
        return new UsedTool(name, obstacle.isEmpty(), obstacle.orElse(null));
    }

    private static Shown file(SkillRecord record, SkillFile file) {
        var text = file.text();
        var base64 = text.isPresent() ? null : Base64.getEncoder().encodeToString(file.bytes());
        var content =
                new FileContent(file.path(), file.mediaType(), file.size(), file.digest(), text.orElse(null), base64);
        return new Shown(record, null, null, null, null, null, content, null);
    }

    private static Shown archive(SkillRecord record, Skill skill) {
        var zip = Base64.getEncoder().encodeToString(SkillArchive.write(skill));
        return new Shown(record, null, null, null, null, null, null, zip);
    }
}
