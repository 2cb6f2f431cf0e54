package io.agentworkspace.engine.mcp;

/** How the clients of one era are spoken with. */
interface Lane {
    /** What the era is called. */
    String era();

    /** Answers the message, on this exchange and once only. */
    void serve(Message message, Exchange exchange);
}
