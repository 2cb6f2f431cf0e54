package io.agentworkspace.engine.memory.banks.transfer.exported;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** What an import knows an export of this engine by, if it is in the form of another product. */
public final class ExportMark {
    /** The type of an entity that is a current memory. Those of other memories have a type of their own. */
    public static final String CURRENT = "memory";

    /** How the second observation of an entity begins, if the memory has tags. */
    public static final String TAGS = "tags: ";

    /** What stands between the text of a note and its links to other memories. */
    static final String RELATIONS = "\n## Relations\n\n";

    /** The relations that an export writes there; a text may have others of its own. */
    private static final List<String> KINDS =
            List.of(ExportedMemory.DERIVED_FROM, ExportedMemory.SUPERSEDES, ExportedMemory.SUPERSEDED_BY);

    /** The field that no other program writes. */
    static final String FIELD = "agent_workspace_engine";

    static final int VALUE = 1;

    private ExportMark() {}

    /** Returns whether a note, an entity, a relation or the metadata of a memory is from this engine. */
    public static boolean isIn(JsonNode fields) {
        return fields.path(FIELD).asString("").equals(String.valueOf(VALUE));
    }

    /** Returns the text of a note that this engine exported, without the links after it. What somebody wrote below them stays. */
    public static String withoutRelations(String note) {
        var end = note.lastIndexOf(RELATIONS);
        return end >= 0 && note.substring(end + RELATIONS.length()).lines().allMatch(ExportMark::isRelation)
                ? note.substring(0, end)
                : note;
    }

    private static boolean isRelation(String line) {
        return KINDS.stream().anyMatch(kind -> line.startsWith("- %s [[".formatted(kind))) && line.endsWith("]]");
    }
}
