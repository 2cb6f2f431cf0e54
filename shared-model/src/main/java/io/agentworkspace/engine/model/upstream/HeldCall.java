package io.agentworkspace.engine.model.upstream;

import java.time.Duration;

/** A call that its server keeps open until its questions are answered, or until it has ended. */
public interface HeldCall {
    /** Returns how long a call may take. */
    Duration limit();

    /** Waits until it has ended, with answers or without. */
    void awaitEnd() throws InterruptedException;

    /** Ends it, since nobody will answer. */
    void abandon();
}
