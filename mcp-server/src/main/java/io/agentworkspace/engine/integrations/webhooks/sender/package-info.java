/** Sends deliveries: signs the body ({@code Signature}), reads what came back, and grades receivers. */
@NullMarked
package io.agentworkspace.engine.integrations.webhooks.sender;

import org.jspecify.annotations.NullMarked;
