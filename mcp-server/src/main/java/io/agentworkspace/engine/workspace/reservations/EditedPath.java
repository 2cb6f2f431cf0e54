package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.workspace.reservations.PathForm.Letters;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A file, a folder with all that is in it, or the files that a pattern names, relative to the repository. */
public final class EditedPath {
    private final String path;
    private final @Nullable Glob below;
    private final String worktree;

    private EditedPath(String path, @Nullable Glob below, String worktree) {
        this.path = path;
        this.below = below;
        this.worktree = worktree;
    }

    public static EditedPath file(String path) {
        return new EditedPath(path, null, "");
    }

    /** Returns it in a git worktree of this name; an empty one is unknown. */
    public EditedPath in(String name) {
        return new EditedPath(path, below, name);
    }

    /** A folder, or a file. An empty path is the whole repository. */
    public static EditedPath tree(String path, Letters letters) {
        return new EditedPath(path, Glob.stored(cased(literal(path) + (path.isEmpty() ? "**" : "/**"), letters)), "");
    }

    /** The files that a pattern of a shell names; empty if it is none of paths in a repository. */
    public static Optional<EditedPath> pattern(String pattern, Letters letters) {
        return Glob.find(cased(pattern, letters)).map(glob -> new EditedPath("", glob, ""));
    }

    /** Returns a part of a pattern that stands for these characters. */
    public static String literal(String text) {
        return text.replaceAll("[*?\\[\\]{}]", "[$0]");
    }

    private static String cased(String text, Letters letters) {
        return letters == Letters.ANY_CASE ? text.toLowerCase(Locale.ROOT) : text;
    }

    String worktree() {
        return worktree;
    }

    /** Returns whether one of the files is reserved by the pattern. */
    boolean concerns(Reserved reserved, Letters letters, StepAllowance allowance) {
        return !path.isEmpty() && reserved.glob().matches(path, letters, allowance)
                || below != null && reserved.cased(letters).overlaps(below, allowance);
    }

    /** The pattern of a reservation, which is parsed once for all paths. */
    static final class Reserved {
        private final Glob glob;
        private @Nullable Glob lower;

        Reserved(String pattern) {
            this.glob = Glob.stored(pattern);
        }

        Glob glob() {
            return glob;
        }

        Glob cased(Letters letters) {
            if (letters == Letters.EXACT) {
                return glob;
            }
            if (lower == null) {
                lower = Glob.stored(EditedPath.cased(glob.text(), letters));
            }
            return lower;
        }
    }

    @Override
    public String toString() {
        return below == null ? path : below.text();
    }
}
