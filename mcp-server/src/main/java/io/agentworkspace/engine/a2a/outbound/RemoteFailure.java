package io.agentworkspace.engine.a2a.outbound;

import io.agentworkspace.engine.model.text.StorableText;

/** A request to another server that did not succeed, in words for who wrote to the agent, and with the address for its owner. */
final class RemoteFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** The fewest characters of a credential that is not shown. */
    private static final int SECRET = 4;

    private final Kind kind;
    private final String address;

    /** What is known of the request. */
    enum Kind {
        /** It was not taken. It may be later. */
        NOT_TAKEN,
        /** It was not taken, and what refused it is probably a mistake in the agent's address or credential. */
        WRONG,
        /** Nothing came back: it may have been taken. */
        UNSURE,
        /** It was refused, and would be again. */
        REFUSED,
        /** It was taken, but what came back is of no use. */
        UNUSABLE
    }

    private RemoteFailure(Kind kind, String words, String address) {
        super(StorableText.replaced(words));
        this.kind = kind;
        this.address = StorableText.replaced(address);
    }

    static RemoteFailure of(Kind kind, String words) {
        return new RemoteFailure(kind, words, "");
    }

    static RemoteFailure refused(String words) {
        return of(Kind.REFUSED, words);
    }

    static RemoteFailure unusable(String words) {
        return of(Kind.UNUSABLE, words);
    }

    /** @param address for the owner only */
    static RemoteFailure refused(String words, String address) {
        return new RemoteFailure(Kind.REFUSED, words, address);
    }

    /** Returns the same for a card: nothing was sent yet. */
    RemoteFailure ofCard() {
        return new RemoteFailure(isFinal() || kind == Kind.WRONG ? Kind.WRONG : Kind.NOT_TAKEN, words(), address);
    }

    /** Returns the same without the credential, which a server may repeat. */
    RemoteFailure without(String credential) {
        var secret = credential.strip();
        secret = secret.substring(secret.lastIndexOf(' ') + 1);
        return secret.length() < SECRET ? this : new RemoteFailure(kind, words().replace(secret, "…"), address);
    }

    Kind kind() {
        return kind;
    }

    boolean isFinal() {
        return kind == Kind.REFUSED || kind == Kind.UNUSABLE;
    }

    String words() {
        return String.valueOf(getMessage());
    }

    String wordsForOwner() {
        return address.isEmpty() ? words() : "%s (%s)".formatted(words(), address);
    }
}
