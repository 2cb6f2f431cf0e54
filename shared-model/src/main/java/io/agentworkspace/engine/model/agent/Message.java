package io.agentworkspace.engine.model.agent;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Cuttable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message, sent in a zone or from one party to another.
 *
 * @param question the question that it asks, which AP_Answer answers
 */
public record Message(
        @JsonUnwrapped Place place,
        @JsonUnwrapped Text text,
        @JsonUnwrapped Receipt receipt,

        @Doc("How many messages answer it directly; absent if none does. AP_Read and ZN_Read with thread return them.")
        @Nullable
        Integer replies,

        @Doc("The documents attached to it, by name and version: DC_Read reads them. Absent if there are none.")
        @Nullable
        List<Attachment> attachments,

        @Doc("The question that it asks, which AP_Answer answers.") @Nullable
        Question question)
        implements Cuttable<Message> {

    /** Who sent it, and where: its fields are fields of the message. */
    public record Place(
            @Doc("The message's id; send it as reply_to to answer in the same place.")
            String id,

            @Doc("The sender.") String from,

            @Doc(
                    value = "What the sender is.",
                    oneOf = {"user", "agent"})
            String fromKind,

            @Doc("true where a person wrote it, signed in; absent where a program did.") @Nullable
            Boolean person,

            @Doc("The name of the API key by which a program wrote it for a user.") @Nullable
            String byKey,

            @Doc("The recipient of a direct message.") @Nullable
            String to,

            @Doc(
                    value = "What the recipient is.",
                    oneOf = {"user", "agent"})
            @Nullable
            String toKind,

            @Doc("The domain of its zone.") @Nullable String domain,

            @Doc("The zone that it was sent to.") @Nullable String zone,

            @Doc("Its number in its zone or direct conversation: 1, 2, 3, … without gaps.")
            long seq) {}

    /** What it says: its fields are fields of the message. */
    public record Text(
            @Doc(value = "The text of the message.", max = 64_000)
            String content,

            @Doc("true where the text is cut; then length says how long it is.") @Nullable
            Boolean truncated,

            @Doc("How many characters the whole text has, where it is cut.") @Nullable
            Integer length,

            @Doc("The id of the message that it answers.") @Nullable
            String replyTo,

            @Doc("The agents whose messages it answers, oldest first: the loop guard counts them.")
            List<String> chain,

            @Doc("When it was sent.") Instant createdAt) {}

    /** What became of a direct message: its fields are fields of the message. */
    public record Receipt(
            @Doc("When a direct message was given to a session of its recipient.") @Nullable
            Instant deliveredAt,

            @Doc("When the whole text of a direct message was returned to its recipient.") @Nullable
            Instant readAt) {
        public static final Receipt NONE = new Receipt(null, null);
    }

    /** A version of a document that is attached to a message. */
    public record Attachment(
            @Doc("The document's name.") String document,
            @Doc("Its version.") long version,

            @Doc("Its type; absent until it is known.") @Nullable
            String mediaType,

            @Doc("Its size in bytes.") long size) {}

    @Override
    public String longText() {
        return text.content();
    }

    @Override
    public Message cut(String head, int whole) {
        var cut = new Text(head, true, whole, text.replyTo(), text.chain(), text.createdAt());
        return new Message(place, cut, receipt, replies, attachments, question);
    }
}
