package io.agentworkspace.engine.model.plan;

/** The maximum length of texts, in characters, and of pages, in entries (decisions, sections 1 and 3). */
public final class Limits {
    public static final int DESCRIPTION = 2_000;
    public static final int PROFILE = 16_000;
    public static final int CONTENT = 64_000;
    public static final int PAGE = 200;
    public static final int PAGE_DEFAULT = 50;

    private Limits() {}
}
