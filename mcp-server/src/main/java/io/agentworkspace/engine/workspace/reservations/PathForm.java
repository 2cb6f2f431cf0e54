package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.text.DeceptiveText;
import io.agentworkspace.engine.model.problem.Problem;
import java.text.Normalizer;

/** The one form in which paths are compared: composed characters, and letters as the system has them that has the files. */
public final class PathForm {
    private PathForm() {}

    /** How a system compares the letters of file names. */
    public enum Letters {
        /** As Linux does. */
        EXACT,
        /** As Windows and macOS do by default. */
        ANY_CASE;

        boolean begins(String path, String prefix) {
            return path.regionMatches(this == ANY_CASE, 0, prefix, 0, prefix.length());
        }

        boolean ends(String path, String suffix) {
            return path.regionMatches(this == ANY_CASE, path.length() - suffix.length(), suffix, 0, suffix.length());
        }

        boolean isIn(CharacterSet set, int character) {
            return set.contains(character)
                    || this == ANY_CASE
                            && (set.contains(Character.toLowerCase(character))
                                    || set.contains(Character.toUpperCase(character)));
        }
    }

    /** Returns the path with composed characters: macOS takes them apart. */
    public static String composed(String path) {
        return Normalizer.normalize(path, Normalizer.Form.NFC);
    }

    /** Returns the name of a git worktree: the last one of the path of its git folder, {@code .git} for the main one. */
    public static String worktree(String gitFolder) {
        var path = gitFolder.strip().replace('\\', '/').replaceAll("/+$", "");
        return composed(path.substring(path.lastIndexOf('/') + 1));
    }

    /** @throws Problem {@code invalid_field} for a path that looks like another one */
    static void check(String field, String path) {
        DeceptiveText.find(path).ifPresent(found -> {
            throw Problem.invalid(
                    field,
                    "has %s, so it looks like another path; write it without, or with ? in its place".formatted(found));
        });
    }
}
