"""The study of logs: whether what is kept of a real log shows what the agent's next calls use."""
