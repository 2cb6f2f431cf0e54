/** Whether everything that people and models read follows the language rules: short sentences, active voice, standard words. */
@NullMarked
package io.agentworkspace.engine.prose;

import org.jspecify.annotations.NullMarked;
