package io.agentworkspace.engine.skills;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A folder of instructions for an agent, checked against the Agent Skills specification.
 *
 * @param frontmatter the beginning of SKILL.md, as JSON: every field that its author wrote
 * @param body the Markdown of SKILL.md after the frontmatter
 * @param files all files, SKILL.md first, then by path
 */
public record Skill(String name, String description, ObjectNode frontmatter, String body, List<SkillFile> files) {
    public static final String MAIN = "SKILL.md";
    static final int MAX_FILES = 100;
    static final int MAX_BYTES = 5 * 1024 * 1024;

    private static final int MAX_TITLE = 200;

    private static final Comparator<SkillFile> ORDER =
            Comparator.comparing((SkillFile file) -> !file.path().equals(MAIN)).thenComparing(SkillFile::path);

    /**
     * Reads the files of the folder with this name.
     *
     * @throws Problem {@code invalid_field} or {@code too_large}, with what the specification requires
     */
    public static Skill of(String folder, List<SkillFile> files) {
        checkNames(files);
        return read(folder, files);
    }

    /** Reads files without a folder around them. The skill's name is the one in SKILL.md. */
    public static Skill of(List<SkillFile> files) {
        checkNames(files);
        return read(null, files);
    }

    /** Returns a stored skill. Its files were checked by the rules that applied when they were stored. */
    public static Skill stored(List<SkillFile> files) {
        return read(null, files);
    }

    private static Skill read(@Nullable String folder, List<SkillFile> files) {
        checkSum(files);
        var main = files.stream()
                .filter(file -> file.path().equals(MAIN))
                .findFirst()
                .orElseThrow(() -> Problem.invalid(
                        folder == null ? "the skill" : "the skill '%s'".formatted(folder),
                        "must hold the file SKILL.md at its root, spelt exactly so"));
        var text = main.text()
                .filter(found -> found.indexOf('\0') < 0)
                .orElseThrow(() -> Problem.invalid(MAIN, "must be text in UTF-8"));
        var parts = Frontmatter.read(text);
        var fields = parts.fields();
        var name = fields.get("name").asString();
        if (folder != null && !name.equals(folder)) {
            throw Problem.invalid(
                    "name in SKILL.md",
                    "must be the name of the skill's folder, but '%s' is not '%s'".formatted(name, folder));
        }
        var inOrder = files.stream().sorted(ORDER).toList();
        return new Skill(name, fields.get("description").asString(), fields, parts.body(), inOrder);
    }

    /** Returns the frontmatter, as a copy that callers may change. */
    @Override
    public ObjectNode frontmatter() {
        return frontmatter.deepCopy();
    }

    /** Returns the body's first heading, else the name. */
    public String title() {
        return body.lines()
                .filter(line -> line.startsWith("# ") && line.length() <= MAX_TITLE)
                .map(line -> line.substring(2).strip())
                .findFirst()
                .orElse(name);
    }

    /** Returns the skill's data without the content of its files. */
    public SkillCard card() {
        var main = files.getFirst().text().orElse("");
        return new SkillCard(
                name,
                title(),
                description,
                SkillFile.digest(SkillArchive.write(this)),
                frontmatter,
                files.stream().map(SkillCard.FileEntry::of).toList(),
                SkillCard.mentions(main));
    }

    /** Refuses more files, or more bytes in total, than a skill may have. */
    static void checkSum(List<SkillFile> files) {
        if (files.size() > MAX_FILES) {
            throw Problem.tooLarge("the skill", files.size(), MAX_FILES, "files");
        }
        var sum = files.stream().mapToLong(SkillFile::size).sum();
        if (sum > MAX_BYTES) {
            throw Problem.tooLarge("the skill", sum, MAX_BYTES, "bytes");
        }
    }

    /** Refuses files whose paths are equal on a file system that ignores case, or that treats ß and SS as the same. */
    private static void checkNames(List<SkillFile> files) {
        var taken = new HashSet<String>();
        var folders = new HashSet<String>();
        for (var file : files) {
            var path = folded(file.path());
            if (!taken.add(path)) {
                throw Problem.invalid(
                        "the file '%s'".formatted(file.path()),
                        "is there twice: names that differ only in upper and lower case count as one");
            }
            for (var slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                folders.add(path.substring(0, slash));
            }
        }
        for (var file : files) {
            if (folders.contains(folded(file.path()))) {
                throw Problem.invalid("the file '%s'".formatted(file.path()), "has the name of a folder of the skill");
            }
        }
    }

    private static String folded(String path) {
        return path.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }
}
