package io.agentworkspace.engine.workspace.chat.search;

import io.agentworkspace.engine.kernel.text.WordQuery;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message that a search found. */
record MessageHit(
        @Doc("The message's id; reply_to and thread take it.")
        String id,

        @Doc("The agent or user that wrote it.") String from,

        @Doc("true if a signed-in person wrote it.") @Nullable
        Boolean person,

        @Doc("The domain that it was said in; absent for a direct message.") @Nullable
        String domain,

        @Doc("The zone that it was said in; absent for a direct message.") @Nullable
        String zone,

        @Doc("The recipient of a direct message.") @Nullable String to,

        @Doc("Its number in its conversation.") long seq,

        @Doc("The whole text, if there is room for it.") @Nullable
        String text,

        @Doc("Otherwise the part of the text that matches best.") @Nullable
        String snippet,

        @Doc("The share of the query's words that it has, from 0 to 1.")
        double score,

        @Doc("Why it was found.") Why why,

        @Doc("The message that it answers.") @Nullable String replyTo,

        @Doc("When it was sent.") Instant createdAt) {

    /**
     * Why a message was found.
     *
     * @param highlights in the shown text
     */
    record Why(
            @Doc("The words and phrases of the query that it has.")
            List<String> terms,

            @Doc("Their positions in the text or snippet: pairs of start and end, in characters.")
            List<List<Integer>> highlights) {}

    /** @param room how many characters of the text it shows */
    static MessageHit of(Message message, double score, WordQuery query, int room) {
        var part = query.excerpt(message.text().content(), room);
        return new MessageHit(
                message.place().id(),
                message.place().from(),
                message.place().person(),
                message.place().domain(),
                message.place().zone(),
                message.place().to(),
                message.place().seq(),
                part.isWhole() ? part.text() : null,
                part.isWhole() ? null : part.text(),
                score,
                new Why(part.words(), part.highlights()),
                message.text().replyTo(),
                message.text().createdAt());
    }
}
