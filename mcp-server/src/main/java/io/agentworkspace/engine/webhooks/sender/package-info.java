/** Sends deliveries: checks the address first, signs the body, and grades receivers. */
@NullMarked
package io.agentworkspace.engine.webhooks.sender;

import org.jspecify.annotations.NullMarked;
