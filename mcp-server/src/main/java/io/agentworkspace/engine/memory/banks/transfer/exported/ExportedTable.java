package io.agentworkspace.engine.memory.banks.transfer.exported;

import java.util.List;
import java.util.regex.Pattern;

/** The columns of an exported table, and how it keeps a spreadsheet from calculating what somebody has written. */
public final class ExportedTable {
    static final String HEADER =
            "id,name,text,tags,author,editor,document,derived_from,supersedes,reason,superseded_by,expires_at,pinned,revision,created_at,updated_at";

    public static final String SUPERSEDED_BY = "superseded_by";
    public static final String EXPIRES_AT = "expires_at";

    /** Columns that no other program's table has together. */
    private static final List<String> OWN = List.of("id", "derived_from", SUPERSEDED_BY, EXPIRES_AT, "revision");

    /** How a formula begins, or what such a table has in its place. */
    private static final Pattern FORMULA = Pattern.compile("'*[=+@\\t\\r-]");

    private ExportedTable() {}

    /** Returns whether a table is from this engine. */
    public static boolean isOwn(List<String> header) {
        return header.containsAll(OWN);
    }

    /** Returns a value as it is written: an apostrophe stands before a formula. */
    static String written(String value) {
        return FORMULA.matcher(value).lookingAt() ? "'" + value : value;
    }

    /** Returns the value of what was written. */
    public static String read(String cell) {
        return cell.startsWith("'") && FORMULA.matcher(cell).lookingAt() ? cell.substring(1) : cell;
    }
}
