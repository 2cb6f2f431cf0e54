package io.agentworkspace.engine.skills;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * The built-in skills, in the recommended reading order. They are on the class path under {@code skills/};
 * {@code skills/index} lists every file, since not every jar can list its folders.
 */
public final class ShippedSkills {
    private static final String ROOT = "/skills/";

    private ShippedSkills() {}

    public static List<Skill> read() {
        var folders = new LinkedHashMap<String, List<SkillFile>>();
        index().forEach(line -> {
            var slash = line.indexOf('/');
            var file = SkillFile.of(line.substring(slash + 1), bytes(ROOT + line));
            folders.computeIfAbsent(line.substring(0, slash), _ -> new ArrayList<>())
                    .add(file);
        });
        return folders.entrySet().stream()
                .map(folder -> Skill.of(folder.getKey(), folder.getValue()))
                .toList();
    }

    /** Returns the path of each file under {@code skills/}. */
    static List<String> index() {
        return new String(bytes(ROOT + "index"), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
    }

    private static byte[] bytes(String resource) {
        try (var in = ShippedSkills.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks " + resource);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
