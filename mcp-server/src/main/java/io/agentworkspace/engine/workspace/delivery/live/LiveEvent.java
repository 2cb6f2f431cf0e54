package io.agentworkspace.engine.workspace.delivery.live;

import tools.jackson.databind.node.ObjectNode;

/**
 * One event as it is sent.
 *
 * @param ordinal its position in the log
 * @param xid the transaction that wrote it
 */
record LiveEvent(long ordinal, long xid, String topic, ObjectNode data) {}
