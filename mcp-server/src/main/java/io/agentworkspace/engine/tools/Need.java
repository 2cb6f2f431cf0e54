package io.agentworkspace.engine.tools;

/** What a tool needs of the thing that it is run on. */
enum Need {
    SEE("that you may see it"),
    OWN("that it is yours, or that you are an admin"),
    /** To log on as it. */
    BE("that it is your own agent"),
    /** To name it as the one that acts. */
    ACT("that it is your own agent, or that you are an admin"),
    TAKE_PART("that you take part: the agent you are logged on as, or one of yours, is a member, or it is your domain"),
    /** To read what is said there. */
    HEAR("that you take part: one of your agents is a member, or it is your domain"),
    RUN("that you decide for its side: as its owner, an admin, or logged on as its host"),
    /** Everybody for their own agents, its side for all. */
    RUN_OR_OWN_AGENT("that you decide for its side, or that the agent is yours"),
    /** The same, for agents that are not banned. */
    LET_IN("that you decide for its side, or that the agent is yours and not banned"),
    READ("the permission read"),
    APPEND("the permission append"),
    MANAGE("the permission manage"),
    /** Everybody for what their own agents stored, who manages it for all. */
    MANAGE_OR_OWN_SHARE("the permission manage; for an agent's share that the agent is yours"),
    /** To see who holds what, and to change that. */
    READ_OR_GRANT("the permission read; to set one, manage"),
    /** Of the credential, to decide about users. */
    UNBOUND("a key that is not bound to an agent"),
    /** Of the credential, to make, change and rotate keys. */
    CURRENT("the newest secret of your key"),
    /** To act for it. */
    STAND_FOR(
            "that it is you, or that you are an admin whose key is neither bound to an agent nor another key's child"),
    /** To make a key of it. */
    KEY_OF(STAND_FOR.words + "; and that its role is not more than yours"),
    GOVERN(STAND_FOR.words + "; of an owner, that you are one"),
    REMOVE(
            "that it is not you, and that your key is neither bound to an agent nor another key's child; of an owner, that you are one"),
    /** To make it the host of a domain. */
    HOST("that it is your own agent, or that you are an admin"),
    /** To bind a key to it. */
    BIND("that it belongs to the key's user, and that your key is not bound to another"),
    /** To end a key. */
    END("that you manage it, and that its user's role is not more than yours"),
    CHANGE(END.words + "; to give it more or a later end, that your own key has all that it has then"),
    /** To be shown a new secret of it. */
    HOLD(END.words + "; that it has not ended; and that your own key has all that it has");

    private final String words;

    Need(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
