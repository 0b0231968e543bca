import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const { BASE = "http://127.0.0.1:8000", KEY = "" } = process.env;

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: {
      // The key stays here: the page asks this server, and this server asks Assent.
      "/api": { target: BASE, headers: { authorization: `Bearer ${KEY}` } },
    },
  },
});
