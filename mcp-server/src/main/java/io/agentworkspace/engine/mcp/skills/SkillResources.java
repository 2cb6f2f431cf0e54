package io.agentworkspace.engine.mcp.skills;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillCard;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Skills as MCP lists them. Every file is a resource, {@code skill://<name>/<path>}; every folder can be listed; every skill
 * is a prompt and has an entry with the digests of its files. The returned objects are shared and must not be changed.
 */
final class SkillResources {
    static final String TEMPLATE = "skill://{name}/{+path}";

    private static final String SCHEME = "skill://";
    private static final String FOLDER = "inode/directory";
    private static final String TASK = "task";

    private final Map<String, SkillCard> byName = new LinkedHashMap<>();
    private final Map<String, ObjectNode> resources = new LinkedHashMap<>();
    private final Map<String, Map<String, ObjectNode>> folders = new LinkedHashMap<>();
    private final Map<String, ObjectNode> entries = new LinkedHashMap<>();

    SkillResources(List<SkillCard> skills) {
        skills.forEach(this::add);
    }

    private void add(SkillCard skill) {
        byName.put(skill.name(), skill);
        for (var file : skill.files()) {
            var uri = uri(skill, file.path());
            var resource = resource(skill, file, uri);
            resources.put(uri, resource);
            addToFolders(uri, resource, SCHEME + skill.name());
        }
        entries.put(uri(skill, Skill.MAIN), entry(skill));
    }

    private void addToFolders(String uri, ObjectNode resource, String root) {
        var child = resource;
        for (var at = uri; at.length() > root.length(); ) {
            var parent = at.substring(0, at.lastIndexOf('/'));
            folders.computeIfAbsent(parent, _ -> new LinkedHashMap<>()).putIfAbsent(at, child);
            child = folder(parent);
            at = parent;
        }
    }

    /** Returns all files for {@code resources/list}, each skill's SKILL.md first. */
    List<ObjectNode> resources() {
        return List.copyOf(resources.values());
    }

    static ObjectNode template() {
        return Json.object()
                .put("uriTemplate", TEMPLATE)
                .put("name", "skill")
                .put("title", "A file of a skill")
                .put(
                        "description",
                        "Instructions for an agent: begin with the path SKILL.md, which says what else there is.");
    }

    /** Returns the direct children of a folder for {@code resources/directory/read}. Empty if the URI is not a folder. */
    Optional<List<ObjectNode>> children(String uri) {
        return Optional.ofNullable(folders.get(uri)).map(children -> List.copyOf(children.values()));
    }

    /** Returns the entries for {@code skills/list}. */
    List<ObjectNode> entries() {
        return List.copyOf(entries.values());
    }

    /** Returns the entry of the skill whose SKILL.md has this URI, for {@code skills/get}. */
    Optional<ObjectNode> entry(String uri) {
        return Optional.ofNullable(entries.get(uri));
    }

    /** Returns the prompts for {@code prompts/list}. */
    List<ObjectNode> prompts() {
        return byName.values().stream().map(SkillResources::prompt).toList();
    }

    /** Returns the skill names that begin with the prefix, for {@code completion/complete}. */
    List<String> names(String prefix) {
        return byName.keySet().stream().filter(name -> name.startsWith(prefix)).toList();
    }

    /** Returns the paths of a skill's files that begin with the prefix, for {@code completion/complete}. */
    List<String> paths(String name, String prefix) {
        var skill = byName.get(name);
        return skill == null
                ? List.of()
                : skill.files().stream()
                        .map(SkillCard.FileEntry::path)
                        .filter(path -> path.startsWith(prefix))
                        .toList();
    }

    private static ObjectNode resource(SkillCard skill, SkillCard.FileEntry file, String uri) {
        var isMain = file.path().equals(Skill.MAIN);
        return Json.object()
                .put("uri", uri)
                .put(
                        "name",
                        isMain
                                ? skill.name()
                                : file.path().substring(file.path().lastIndexOf('/') + 1))
                .put("title", isMain ? skill.title() : "%s: %s".formatted(skill.name(), file.path()))
                .put("description", isMain ? skill.description() : "Belongs to the skill '%s'.".formatted(skill.name()))
                .put("mimeType", file.mediaType())
                .put("size", file.size());
    }

    private static ObjectNode folder(String uri) {
        return Json.object()
                .put("uri", uri)
                .put("name", uri.substring(uri.lastIndexOf('/') + 1))
                .put("mimeType", FOLDER);
    }

    private static ObjectNode entry(SkillCard skill) {
        var entry = Json.object().put("uri", uri(skill, Skill.MAIN));
        entry.set("frontmatter", skill.frontmatter());
        var list = entry.putArray("resources");
        skill.files()
                .forEach(file -> list.addObject()
                        .put("uri", uri(skill, file.path()))
                        .put("digest", file.digest())
                        .put("size", file.size()));
        return entry;
    }

    private static ObjectNode prompt(SkillCard skill) {
        var prompt = Json.object()
                .put("name", skill.name())
                .put("title", skill.title())
                .put("description", skill.description());
        prompt.putArray("arguments")
                .addObject()
                .put("name", TASK)
                .put("description", "What to do with the skill, in your own words.")
                .put("required", false);
        return prompt;
    }

    private static String uri(SkillCard skill, String path) {
        return uri(skill.name(), path);
    }

    static String uri(String skill, String path) {
        return SCHEME + skill + "/" + encoded(path);
    }

    /** Percent-encodes everything except RFC 3986's unreserved characters and the slashes between parts. */
    private static String encoded(String path) {
        var uri = new StringBuilder();
        for (var b : path.getBytes(StandardCharsets.UTF_8)) {
            var c = (char) (b & 0xFF);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || "-._~/".indexOf(c) >= 0)) {
                uri.append(c);
            } else {
                uri.append("%%%02X".formatted((int) c));
            }
        }
        return uri.toString();
    }
}
