package io.agentworkspace.engine.memory.documents.conversation;

import java.util.List;

/** Recognises conversations by the shape of their text. */
public final class Conversation {
    private Conversation() {}

    /**
     * Returns the turns; none if the text is no conversation.
     *
     * @param isJson whether the text is JSON
     */
    public static List<SaidText> turns(String text, boolean isJson) {
        return isJson ? ConversationJson.read(text) : ConversationText.read(text);
    }
}
