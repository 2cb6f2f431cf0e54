package io.agentworkspace.engine.model.agent;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Cuttable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message, sent in a zone or from one party to another. */
public record Message(
        @Doc("The message's id; give it as reply_to to answer in the same place.")
        String id,

        @Doc("Who said it.") String from,

        @Doc(
                value = "What the speaker is.",
                oneOf = {"user", "agent"})
        String fromKind,

        @Doc("Whom it was said to, when it was said directly.") @Nullable
        String to,

        @Doc(
                value = "What the addressee is.",
                oneOf = {"user", "agent"})
        @Nullable
        String toKind,

        @Doc("The domain of the zone that it was said in.") @Nullable
        String domain,

        @Doc("The zone that it was said in.") @Nullable String zone,

        @Doc("Its place in its zone or direct talk: 1, 2, 3, … without gaps.")
        long seq,

        @Doc(value = "What was said.", max = 64_000) String content,

        @Doc("true where the text is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole text has, where it is cut.") @Nullable
        Integer length,

        @Doc("The id of the message that it answers.") @Nullable
        String replyTo,

        @Doc("The agents whose messages it answers, oldest first: the loop guard counts them.")
        List<String> chain,

        @Doc("When it was said.") Instant createdAt)
        implements Cuttable<Message> {

    @Override
    public String longText() {
        return content;
    }

    @Override
    public Message cut(String head, int whole) {
        return new Message(
                id, from, fromKind, to, toKind, domain, zone, seq, head, true, whole, replyTo, chain, createdAt);
    }
}
