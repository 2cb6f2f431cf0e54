package io.agentworkspace.engine.kernel.page;

import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the next page begins. Clients treat it as opaque; it contains the sort key of the last row. */
public final class Cursor {
    private Cursor() {}

    public static String of(String... keys) {
        var joined = String.join("\n", keys);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(joined.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws Problem {@code invalid_field} if the cursor was not issued by this service */
    public static List<String> read(String cursor, int keys) {
        try {
            var text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            var parts = List.of(text.split("\n", -1));
            if (parts.size() == keys && text.indexOf('\0') < 0) {
                return parts;
            }
        } catch (IllegalArgumentException e) {
            // Handled below, like any other cursor that this service did not issue.
        }
        throw invalid();
    }

    /** Returns a cursor for a list sorted by name. It contains the command, since any text could be a name. */
    public static String ofName(String command, String name) {
        return of(command, name);
    }

    /**
     * Returns the name after which the list continues. For the first page it is empty, which sorts before all names.
     *
     * @throws Problem {@code invalid_field} if this command did not issue the cursor
     */
    public static String readName(String command, @Nullable Page page) {
        var keys = Page.after(page, 2);
        if (keys.isEmpty()) {
            return "";
        } else if (!keys.getFirst().equals(command)) {
            throw invalid();
        }
        return keys.getLast();
    }

    /**
     * Checks that a cursor continues the list of this thing: another thing may have got its name, or be selected now.
     *
     * @param keys those of the cursor, beginning with the thing's id; empty for the first page
     */
    public static void requireSame(List<String> keys, long thing) {
        if (!keys.isEmpty() && !keys.getFirst().equals(Long.toString(thing))) {
            throw invalid();
        }
    }

    public static Problem invalid() {
        return Problem.invalid(
                "page.cursor",
                "is not a next_cursor of this command with the same fields: send one unchanged, or leave it out for the first page");
    }
}
