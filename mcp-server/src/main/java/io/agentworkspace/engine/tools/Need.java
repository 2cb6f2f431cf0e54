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
    RUN("that you decide for its side: as its owner, an admin, or logged on as its host"),
    /** Everybody for their own agents, its side for all. */
    RUN_OR_OWN_AGENT("that you decide for its side, or that the agent is yours"),
    READ("the permission read"),
    APPEND("the permission append"),
    MANAGE("the permission manage"),
    /** Everybody for what their own agents stored, who manages it for all. */
    MANAGE_OR_OWN_SHARE("the permission manage; for an agent's share that the agent is yours");

    private final String words;

    Need(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
