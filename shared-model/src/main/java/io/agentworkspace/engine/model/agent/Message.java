package io.agentworkspace.engine.model.agent;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Cuttable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message, sent in a zone or from one party to another. */
public record Message(
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

        @Doc("The recipient of a direct message.") @Nullable String to,

        @Doc(
                value = "What the recipient is.",
                oneOf = {"user", "agent"})
        @Nullable
        String toKind,

        @Doc("The domain of its zone.") @Nullable String domain,

        @Doc("The zone that it was sent to.") @Nullable String zone,

        @Doc("Its number in its zone or direct conversation: 1, 2, 3, … without gaps.")
        long seq,

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

        @Doc("When it was sent.") Instant createdAt,

        @Doc("When a direct message was given to a session of its recipient.") @Nullable
        Instant deliveredAt,

        @Doc("When the whole text of a direct message was returned to its recipient.") @Nullable
        Instant readAt,

        @Doc("How many messages answer it directly; absent if none does. AP_Read and ZN_Read with thread return them.")
        @Nullable
        Integer replies,

        @Doc("The documents attached to it, by name and version: DC_Read reads them. Absent if there are none.")
        @Nullable
        List<Attachment> attachments,

        @Doc("The question that it asks, which AP_Answer answers.") @Nullable
        Question question)
        implements Cuttable<Message> {

    /** Returns a message that is just being sent: nobody has received or answered it. */
    public static Message sent(
            String id,
            String from,
            String fromKind,
            @Nullable Boolean person,
            @Nullable String byKey,
            @Nullable String to,
            @Nullable String toKind,
            @Nullable String domain,
            @Nullable String zone,
            long seq,
            String content,
            @Nullable String replyTo,
            List<String> chain,
            Instant createdAt,
            @Nullable List<Attachment> attachments) {
        return new Message(
                id,
                from,
                fromKind,
                person,
                byKey,
                to,
                toKind,
                domain,
                zone,
                seq,
                content,
                null,
                null,
                replyTo,
                chain,
                createdAt,
                null,
                null,
                null,
                attachments,
                null);
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
        return content;
    }

    @Override
    public Message cut(String head, int whole) {
        return new Message(
                id,
                from,
                fromKind,
                person,
                byKey,
                to,
                toKind,
                domain,
                zone,
                seq,
                head,
                true,
                whole,
                replyTo,
                chain,
                createdAt,
                deliveredAt,
                readAt,
                replies,
                attachments,
                question);
    }
}
