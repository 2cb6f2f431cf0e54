package io.agentworkspace.engine.hubs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The content of a skill's page. */
record SkillView(
        SkillEntry skill,
        String html,
        List<Field> frontmatter,
        List<File> files,
        List<Used> tools,
        List<String> agents,
        Visitor visitor) {
    public boolean hasTools() {
        return !tools.isEmpty();
    }

    public boolean hasAgents() {
        return !agents.isEmpty();
    }

    /** A skill as shown in lists. */
    record SkillEntry(
            String name,
            String title,
            String description,
            boolean own,
            String digest,
            String size,
            String updated,
            List<String> tools) {
        static SkillEntry of(JsonNode skill) {
            var files = skill.path("file_count").asInt();
            return new SkillEntry(
                    skill.path("name").asString(),
                    skill.path("title").asString(),
                    skill.path("description").asString(),
                    skill.path("origin").asString().equals("own"),
                    skill.path("digest").asString(),
                    (files == 1 ? "1 file, " : "%d files, ".formatted(files))
                            + bytes(skill.path("size").asLong()),
                    skill.path("updated_at").asString("").replaceAll("T.*", ""),
                    skill.path("tools").valueStream().map(JsonNode::asString).toList());
        }

        public String origin() {
            return own ? "own" : "shipped";
        }

        /** Returns the text that the list's search uses. */
        public String words() {
            return String.join(" ", name, title, description, String.join(" ", tools))
                    .toLowerCase(Locale.ROOT);
        }
    }

    record Field(String name, String value) {}

    /** Returns every field of the frontmatter by its path. Values inside lists are shown as JSON. */
    static List<Field> fields(JsonNode frontmatter) {
        var fields = new ArrayList<Field>();
        collect("", frontmatter, fields);
        return fields;
    }

    private static void collect(String path, JsonNode node, List<Field> fields) {
        for (var property : node.properties()) {
            var name = path.isEmpty() ? property.getKey() : path + "." + property.getKey();
            var value = property.getValue();
            if (value.isObject() && !value.isEmpty()) {
                collect(name, value, fields);
            } else {
                fields.add(new Field(name, value.isString() ? value.asString() : value.toString()));
            }
        }
    }

    record File(String path, String address, String raw, String kind, String size, String digest) {
        static File of(String skill, JsonNode file) {
            var path = file.path("path").asString();
            return new File(
                    path,
                    SkillLinks.file(skill, path),
                    SkillLinks.raw(skill, path),
                    file.path("media_type").asString(),
                    bytes(file.path("size").asLong()),
                    file.path("digest").asString());
        }
    }

    /**
     * A tool that the skill uses.
     *
     * @param ours whether it is one of this service's tools
     * @param may whether the signed-in user may call it
     * @param obstacle why not
     */
    record Used(
            String name,
            boolean ours,
            boolean may,
            @Nullable String obstacle) {
        static Used of(JsonNode tool, boolean ours) {
            return new Used(
                    tool.path("name").asString(),
                    ours,
                    tool.path("may_call").asBoolean(false),
                    tool.path("note").asStringOpt().orElse(null));
        }
    }

    /** What prevents the visitor from installing or removing the skill; null where nothing does. */
    record Visitor(
            boolean signedIn,
            @Nullable String note,
            @Nullable String installObstacle,
            @Nullable String removeObstacle) {}

    private static String bytes(long size) {
        return size < 1024 ? "%d bytes".formatted(size) : "%.1f KiB".formatted(size / 1024.0);
    }
}
