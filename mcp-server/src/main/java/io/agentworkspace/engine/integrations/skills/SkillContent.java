package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Cuttable;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillArchive;
import io.agentworkspace.engine.skills.SkillCard;
import io.agentworkspace.engine.skills.SkillFile;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The response of SK_Read: the instructions with all metadata of the skill, or one file, or the whole skill as a zip. */
record SkillContent(
        @Doc("The skill.") SkillRecord skill,

        @Doc("The frontmatter of SKILL.md as JSON, with all its fields.") @Nullable
        ObjectNode frontmatter,

        @Doc("The instructions: the rest of SKILL.md, in Markdown.") @Nullable
        String body,

        @Doc("true where the body is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole body has, where it is cut.") @Nullable
        Integer length,

        @Doc("All of its files, SKILL.md first.") @Nullable List<FileRecord> files,

        @Doc("The tools that it uses.") @Nullable List<UsedTool> tools,

        @Doc("The agents that it is installed on and that you may see, 200 at most.") @Nullable
        List<String> agents,

        @Doc("With path: that file.") @Nullable FileContent file,

        @Doc("With archive: the zip, in base64.") @Nullable String archive)
        implements Cuttable<SkillContent> {
    @Override
    public String longText() {
        return file != null && file.text() != null ? file.text() : body == null ? "" : body;
    }

    @Override
    public SkillContent cut(String head, int whole) {
        return file != null && file.text() != null
                ? new SkillContent(skill, null, null, null, null, null, null, null, file.cut(head, whole), null)
                : body == null
                        ? this
                        : new SkillContent(skill, frontmatter, head, true, whole, files, tools, agents, file, archive);
    }

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
            @Doc("The content, if it is text.") @Nullable String text,

            @Doc("true where the text is cut; then length says how long it is.") @Nullable
            Boolean truncated,

            @Doc("How many characters the whole text has, where it is cut.") @Nullable
            Integer length,

            @Doc("The content, if it is not text.") @Nullable
            String base64) {
        private FileContent cut(String head, int whole) {
            return new FileContent(path, mediaType, size, digest, head, true, whole, null);
        }
    }

    record UsedTool(
            @Doc("The tool's name.") String name,

            @Doc("Whether your credential may call it; absent for tools of others.") @Nullable
            Boolean mayCall,

            @Doc("Why you may not call it, and who can change that.") @Nullable
            String note) {}

    static SkillContent instructions(
            SkillRecord record,
            SkillCard card,
            String body,
            @Nullable Caller caller,
            @Nullable List<String> agents,
            List<Tool<?, ?>> all) {
        var files = card.files().stream()
                .map(file -> new FileRecord(file.path(), file.mediaType(), file.size(), file.digest()))
                .toList();
        var tools = record.tools().stream().map(name -> used(name, caller, all)).toList();
        return new SkillContent(record, card.frontmatter(), body, null, null, files, tools, agents, null, null);
    }

    private static UsedTool used(String name, @Nullable Caller caller, List<Tool<?, ?>> all) {
        var tool = all.stream().filter(one -> one.name().equals(name)).findFirst();
        if (tool.isEmpty() || caller == null) {
            return new UsedTool(name, null, null);
        }
        var obstacle = caller.obstacle(tool.get());
        return new UsedTool(name, obstacle.isEmpty(), obstacle.orElse(null));
    }

    static SkillContent file(SkillRecord record, SkillFile file) {
        var text = file.text();
        var base64 = text.isPresent() ? null : Base64.getEncoder().encodeToString(file.bytes());
        var content = new FileContent(
                file.path(), file.mediaType(), file.size(), file.digest(), text.orElse(null), null, null, base64);
        return new SkillContent(record, null, null, null, null, null, null, null, content, null);
    }

    static SkillContent archive(SkillRecord record, Skill skill) {
        var zip = Base64.getEncoder().encodeToString(SkillArchive.write(skill));
        return new SkillContent(record, null, null, null, null, null, null, null, null, zip);
    }
}
