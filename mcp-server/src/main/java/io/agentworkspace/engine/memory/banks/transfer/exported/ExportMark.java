package io.agentworkspace.engine.memory.banks.transfer.exported;

import tools.jackson.databind.JsonNode;

/** What an import knows an export of this engine by, if it is in the form of another product. */
public final class ExportMark {
    /** The type of an entity that is a current memory. Those of other memories have a type of their own. */
    public static final String CURRENT = "memory";

    /** How the second observation of an entity begins, if the memory has tags. */
    public static final String TAGS = "tags: ";

    /** The field that no other program writes. */
    static final String FIELD = "agent_workspace_engine";

    static final int VALUE = 1;

    private ExportMark() {}

    /** Returns whether a note, an entity, a relation or the metadata of a memory is from this engine. */
    public static boolean isIn(JsonNode fields) {
        return fields.path(FIELD).asString("").equals(String.valueOf(VALUE));
    }
}
