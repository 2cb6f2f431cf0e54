package io.agentworkspace.engine.memory.banks.files;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import org.jspecify.annotations.Nullable;

/**
 * A path of the memory tool: {@code /memories} itself, or below it the name of a memory. A directory
 * exists while a name begins with it.
 *
 * @param text as the model wrote it
 * @param name the part below {@code /memories}; empty for {@code /memories} itself
 */
record FilePath(String text, String name) {
    static final String ROOT = "/memories";

    /** @throws Problem {@code missing_field}, {@code invalid_field} */
    static FilePath of(String field, @Nullable String text) {
        if (text == null) {
            throw Problem.missing(field);
        }
        var path = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        if (path.equals(ROOT)) {
            return new FilePath(text, "");
        }
        if (!path.startsWith(ROOT + "/")) {
            throw ToolText.refused(
                    Failure.INVALID_FIELD,
                    "Error: The path must start with %s, got: %s".formatted(ROOT, Name.shortened(text)));
        }
        var name = path.substring(ROOT.length() + 1);
        MemoryName.broken(name).ifPresent(rule -> {
            throw ToolText.refused(
                    Failure.INVALID_FIELD,
                    "Error: Invalid path %s: what follows %s/ %s".formatted(Name.shortened(text), ROOT, rule));
        });
        return new FilePath(text, Name.normal(name));
    }

    boolean isRoot() {
        return name.isEmpty();
    }

    MemoryName file() {
        return MemoryName.of(name);
    }

    /** Returns the prefix of the keys of all names below it. */
    String prefix() {
        return isRoot() ? "" : key() + "/";
    }

    String key() {
        return Name.key(name);
    }

    /** Returns the number of its parts below {@code /memories}. */
    int depth() {
        return isRoot() ? 0 : name.split("/").length;
    }

    /** Returns whether the other path is this one, or below it. */
    boolean holds(FilePath other) {
        return (other.key() + "/").startsWith(prefix());
    }
}
